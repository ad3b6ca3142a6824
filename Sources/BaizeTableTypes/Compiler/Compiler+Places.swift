import BaizeTable

extension Compiler {
  /// Names all collections, before any rule is read: rules name collections that stand further down.
  mutating func readPlaces(_ entries: [Node]) -> Places {
    var places = Places()
    for (number, entry) in entries.enumerated() {
      guard let node = entry["kind"], let kind = plainName(node) else { continue }
      let members = readMembers(entry, kind: kind)
      guard !places.contains(kind) else {
        report(.meaning, "the name '\(kind)' is taken", at: node)
        continue
      }
      places.addKind(kind)
      guard places.collections.count + members.count <= DocumentLimits.collectionsMax else {
        report(.meaning, "with this there are more than \(DocumentLimits.collectionsMax) collections", at: entry)
        continue
      }
      for (id, attributes, node) in members {
        guard id == kind && members.count == 1 || !places.contains(id) else {
          report(.meaning, "the name '\(id)' is taken", at: node)
          continue
        }
        places.add(CollectionRules(id: id, kind: number, attributes: attributes), kind: kind)
      }
    }
    return places
  }

  private typealias Member = (id: String, attributes: [Attribute], node: Node)

  private mutating func readMembers(_ entry: Node, kind: String) -> [Member] {
    if let family = entry["family"] {
      if let ids = entry["ids"] { report(.form, "'ids' and 'family' cannot stand together", at: ids) }
      return readFamily(family, kind: kind)
    }
    guard let ids = entry["ids"] else { return [(kind, [], entry)] }
    return list(ids, countMin: 1).compactMap { node in plainName(node).map { ($0, [], node) } }
  }

  private mutating func readFamily(_ node: Node, kind: String) -> [Member] {
    let forms = ["each": ["as"], "from": ["to"]]
    guard let (form, fields) = object(node, oneOf: ["each", "from"], with: forms, optional: ["as"]) else { return [] }
    let attribute = fields["as"].map { plainName($0) } ?? "index"
    guard let attribute else { return [] }
    let values = form == "each" ? readEach(fields["each"]) : readRange(fields, at: node)
    return values.map { value, node in
      ("\(kind)/\(value.text)", [Attribute(name: attribute, value: value)], node)
    }
  }

  private mutating func readEach(_ node: Node?) -> [(AttributeValue, Node)] {
    guard let node else { return [] }
    return list(node, countMin: 1).compactMap { node in
      guard case .text = node.json.content else {
        return integer(node, in: Self.memberRange).map { (.number($0), node) }
      }
      return text(node, "no member: letters, digits, '-', '_' and '.'", where: Name.isMember)
        .map { (.text($0), node) }
    }
  }

  private mutating func readRange(_ fields: Node, at node: Node) -> [(AttributeValue, Node)] {
    let first = fields["from"].flatMap { integer($0, in: Self.memberRange) }
    let last = fields["to"].flatMap { integer($0, in: Self.memberRange) }
    guard let first, let last else { return [] }
    guard first <= last else {
      report(.meaning, "'from' is more than 'to'", at: node)
      return []
    }
    guard last - first < DocumentLimits.collectionsMax else {
      report(.meaning, "\(last - first + 1) collections; \(DocumentLimits.collectionsMax) are allowed", at: node)
      return []
    }
    return (first...last).map { (.number($0), node) }
  }

  private static let memberRange: ClosedRange<Int64> = 0...DocumentLimits.memberMax

  // MARK: Use

  /// The collections that `node` names, by a kind or an id.
  mutating func readCollections(_ node: Node) -> [CollectionHandle]? {
    guard let name = placeName(node) else { return nil }
    if let handles = places[name] { return handles }
    report(.meaning, "no collection is called \(name.quoted)\(hint(for: name, among: places.names))", at: node)
    return nil
  }

  /// The one collection that `node` names.
  mutating func readCollection(_ node: Node) -> CollectionHandle? {
    guard let handles = readCollections(node) else { return nil }
    if handles.count == 1 { return handles.first }
    if let first = handles.first {
      let message = "there are \(handles.count) of these; name one, such as '\(places[first].id)'"
      report(.meaning, message, at: node)
    }
    return nil
  }

  /// `pile` or `pile/3`.
  private mutating func placeName(_ node: Node) -> String? {
    text(node, "no name of a collection or a kind") { text in
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      return Name.isPlain(String(parts[0])) && (parts.count == 1 || Name.isMember(String(parts[1])))
    }
  }
}
