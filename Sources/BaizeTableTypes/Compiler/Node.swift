/// A value of the document with the way that leads to it.
struct Node: Sendable {
  let json: JSON
  let path: DocumentPath

  static func top(_ json: JSON) -> Node { Node(json: json, path: DocumentPath()) }

  func child(_ member: JSON.Member) -> Node { Node(json: member.value, path: path.appending(.key(member.key))) }

  var isBoolean: Bool {
    if case .boolean = json.content { true } else { false }
  }

  /// The keys of an object; none for anything else.
  var members: [JSON.Member] {
    if case .object(let members) = json.content { members } else { [] }
  }

  /// The value under `key`, whatever else the object holds.
  subscript(key: String) -> Node? { members.first { $0.key == key }.map(child) }
}
