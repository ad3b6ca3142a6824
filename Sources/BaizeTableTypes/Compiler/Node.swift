/// A value of the document with its path.
struct Node: Sendable {
  let json: JSON
  let path: DocumentPath

  static func top(_ json: JSON) -> Node { Node(json: json, path: DocumentPath()) }

  func child(_ member: JSON.Member) -> Node { Node(json: member.value, path: path.appending(.key(member.key))) }

  var isBoolean: Bool {
    if case .boolean = json.content { true } else { false }
  }

  /// The members of an object; empty for any other value.
  var members: [JSON.Member] {
    if case .object(let members) = json.content { members } else { [] }
  }

  /// Returns the value of a key; `nil` if there is none.
  subscript(key: String) -> Node? { members.first { $0.key == key }.map(child) }
}
