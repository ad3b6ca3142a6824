import BaizeTable
import BaizeTableTypes
import Foundation

/// A table type's document that tests change.
struct EditedDocument {
  var members: [String: Any]

  /// - Parameter name: The name of a bundled type.
  init(_ name: String) throws {
    let text = TableTypeLibrary.bundled[name]?.text ?? "{}"
    members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  var text: String {
    get throws { String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self) }
  }

  /// The document; `nil` if it has mistakes.
  var document: TableTypeDocument? {
    guard let text = try? text else { return nil }
    return try? TableTypeDocument(parsing: text)
  }

  var kinds: [[String: Any]] {
    get { members["collections"] as? [[String: Any]] ?? [] }
    set { members["collections"] = newValue }
  }

  var kindNames: [String] { kinds.compactMap { $0["kind"] as? String } }

  /// Returns the document with a member of the top level.
  func with(_ key: String, _ value: Any?) -> EditedDocument {
    var edited = self
    edited.members[key] = value
    return edited
  }

  /// Returns the document with a member of an object at the top level.
  func with(_ key: String, _ name: String, _ value: Any?) -> EditedDocument {
    var object = members[key] as? [String: Any] ?? [:]
    object[name] = value
    return with(key, object)
  }

  /// Returns the document with another member of a kind.
  func with(kind name: String, _ key: String, _ value: Any?) -> EditedDocument {
    var edited = self
    edited.kinds = kinds.map { kind in
      var kind = kind
      if kind["kind"] as? String == name { kind[key] = value }
      return kind
    }
    return edited
  }

  /// Returns the document with another name for a kind, wherever it stands.
  func renaming(kind name: String, to other: String) -> EditedDocument {
    var edited = self
    edited.members = Self.rename(members, name, other) as? [String: Any] ?? [:]
    return edited.with("name", members["name"])
  }

  private static func rename(_ value: Any, _ name: String, _ other: String) -> Any {
    switch value {
    case let text as String where text == name || text.hasPrefix(name + "/"):
      return other + text.dropFirst(name.count)
    case let list as [Any]: return list.map { rename($0, name, other) }
    // An option may have the same name.
    case let object as [String: Any] where object["option"] != nil: return object
    case let object as [String: Any]: return object.mapValues { rename($0, name, other) }
    case _: return value
    }
  }
}

extension MigrationObstacle {
  /// The kind of the obstacle, for comparing.
  var word: String { String("\(self.caseName)") }

  private var caseName: String {
    switch self {
    case .otherType: "otherType"
    case .optionGone: "optionGone"
    case .optionValue: "optionValue"
    case .options: "options"
    case .collectionGone: "collectionGone"
    case .opening: "opening"
    case .handle: "handle"
    case .audience: "audience"
    case .facesShown: "facesShown"
    case .facesHidden: "facesHidden"
    case .faceBytes: "faceBytes"
    case .seatTaken: "seatTaken"
    case .status: "status"
    case .variable: "variable"
    case .keyTaken: "keyTaken"
    case .aliases: "aliases"
    case .pinned: "pinned"
    }
  }
}
