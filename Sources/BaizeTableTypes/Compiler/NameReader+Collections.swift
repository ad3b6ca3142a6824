import BaizeTable

extension NameReader {
  /// Reads the names of all collections before any rule, since rules may refer to later collections.
  ///
  /// - Parameters:
  ///   - entries: The kinds of the table type's own collections.
  ///   - opened: The kinds of the collections that items open, which are numbered behind them.
  func readCollectionNames(_ entries: [KindEntry], opened: [KindEntry]) -> CollectionNames {
    var names = CollectionNames()
    for entry in entries where !entry.isActive { addExcluded(entry.node, to: &names) }
    for entry in opened where !entry.isActive {
      if let kind = entry.node["kind"].flatMap({ plainName($0) }) { names.addExcluded(kind) }
    }
    let opened = opened.filter(\.isActive).map(\.node)
    let entries = entries.filter(\.isActive).map(\.node)
    for (number, entry) in entries.enumerated() {
      guard let node = entry["kind"], let kind = plainName(node) else { continue }
      let members = readMembers(entry, kind: kind)
      guard !names.contains(kind) else {
        report(.meaning, "the name '\(kind)' is taken", at: node)
        continue
      }
      names.addKind(kind)
      guard names.collections.count + members.count <= DocumentLimits.collectionsMax else {
        report(.meaning, "this exceeds the limit of \(DocumentLimits.collectionsMax) collections", at: entry)
        continue
      }
      for member in members {
        guard member.id == kind && members.count == 1 || !names.contains(member.id) else {
          report(.meaning, "the name '\(member.id)' is taken", at: member.node)
          continue
        }
        let rules = CollectionRules(
          id: member.id, kind: number, attributes: member.attributes, owner: member.owner)
        names.add(
          rules, kind: kind, group: member.group, isOpen: entry.showsFaces, opens: entry["opens"] != nil)
      }
    }
    for (number, entry) in opened.enumerated() {
      guard let node = entry["kind"], let kind = plainName(node) else { continue }
      if names.contains(kind) { report(.meaning, "the name '\(kind)' is taken", at: node) }
      names.addOpenedKind(kind, number: entries.count + number)
    }
    return names
  }

  /// Adds the names of a kind that the options exclude, for messages.
  private func addExcluded(_ entry: Node, to names: inout CollectionNames) {
    guard let kind = entry["kind"].flatMap({ plainName($0) }) else { return }
    let members = reading(excluded: true) { readMembers(entry, kind: kind) }
    names.addExcluded(kind, members.map(\.id) + members.compactMap(\.group))
  }

  private struct Member {
    let id: String
    var attributes: [Attribute] = []
    var owner = SeatNumber.spectator
    /// The name that stands for all collections of the seat.
    var group: String?
    let node: Node
  }

  private func readMembers(_ entry: Node, kind: String) -> [Member] {
    if let family = entry["family"] {
      if let ids = entry["ids"] { report(.form, "'ids' and 'family' cannot be combined", at: ids) }
      return readFamily(family, kind: kind)
    }
    guard let ids = entry["ids"] else { return [Member(id: kind, node: entry)] }
    return list(ids, countMin: 1).compactMap { node in plainName(node).map { Member(id: $0, node: node) } }
  }

  private func readFamily(_ node: Node, kind: String) -> [Member] {
    if node["seats"] != nil { return readSeatFamily(node, kind: kind) }
    let forms = ["each": ["as"], "from": ["to"]]
    guard let (form, fields) = object(node, oneOf: ["each", "from", "seats"], with: forms, optional: ["as"]) else {
      return []
    }
    let attribute = fields["as"].map { plainName($0) } ?? "index"
    guard let attribute else { return [] }
    let values = form == "each" ? readEach(fields["each"]) : readRange(fields, at: node)
    return values.map { value, node in
      Member(id: "\(kind)/\(value.text)", attributes: [Attribute(name: attribute, value: value)], node: node)
    }
  }

  /// Reads a family with one or more collections per seat.
  private func readSeatFamily(_ node: Node, kind: String) -> [Member] {
    let isNumbered = ["from", "to", "as"].contains { node[$0] != nil }
    let required = isNumbered ? ["seats", "from", "to"] : ["seats"]
    guard let fields = object(node, required: required, optional: isNumbered ? ["as", "owned"] : ["owned"]) else {
      return []
    }
    guard fields["seats"].flatMap({ word($0, ["all": true]) }) != nil else { return [] }
    let isOwned = boolean(fields["owned"], default: true)
    let attribute = fields["as"].map { plainName($0) } ?? "index"
    let numbers = isNumbered ? readRange(fields, at: node) : []
    guard let attribute, !isNumbered || !numbers.isEmpty else { return [] }
    if attribute == "seat", let taken = fields["as"] { report(.meaning, "'seat' is the number of the seat", at: taken) }
    let members = forEachSeat(node) { () -> [Member]? in
      let seat = seat ?? 0
      let seatAttribute = Attribute("seat", Int64(seat))
      let owner = isOwned ? SeatNumber(rawValue: UInt32(seat)) : .spectator
      guard isNumbered else {
        return [Member(id: "\(kind)/\(seat)", attributes: [seatAttribute], owner: owner, node: node)]
      }
      return numbers.map { number, node in
        let attributes = [Attribute(name: attribute, value: number), seatAttribute].sorted { $0.name < $1.name }
        return Member(
          id: "\(kind)/\(seat)-\(number.text)", attributes: attributes, owner: owner, group: "\(kind)/\(seat)",
          node: node)
      }
    }
    return members?.flatMap { $0 } ?? []
  }

  private func readEach(_ node: Node?) -> [(AttributeValue, Node)] {
    guard let node else { return [] }
    return list(node, countMin: 1).compactMap { node in
      guard case .text = node.json.content else {
        return integer(node, in: Self.memberRange).map { (.number($0), node) }
      }
      return text(node, "not a member: letters, digits, '-', '_' and '.'", where: Name.isMember)
        .map { (.text($0), node) }
    }
  }

  private func readRange(_ fields: Node, at node: Node) -> [(AttributeValue, Node)] {
    let first = fields["from"].flatMap { integer($0, in: Self.memberRange) }
    let last = fields["to"].flatMap { integer($0, in: Self.memberRange) }
    guard let first, let last else { return [] }
    guard first <= last else {
      report(.meaning, "'from' is greater than 'to'", at: node)
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

  /// Returns the collections that `node` names, by a kind or an id.
  func readCollections(_ node: Node) -> [CollectionHandle]? {
    guard let name = collectionName(node) else { return nil }
    if let handles = collectionNames[name] {
      count(steps: handles.count)
      return handles
    }
    if collectionNames.openedKinds[name] != nil {
      report(
        .meaning, "items open the collections of the kind \(name.quoted), so that no rule can name them here", at: node)
      return nil
    }
    if collectionNames.isExcluded(name) {
      report(.meaning, "the options exclude \(name.quoted)", at: node)
      return nil
    }
    report(.meaning, "no collection is called \(name.quoted)\(hint(for: name, among: collectionNames.names))", at: node)
    return nil
  }

  /// Returns the single collection that `node` names.
  func readCollection(_ node: Node) -> CollectionHandle? {
    guard let handles = readCollections(node) else { return nil }
    if handles.count == 1 { return handles.first }
    if let first = handles.first {
      let message = "this names \(handles.count) collections; name one, such as '\(collectionNames[first].id)'"
      report(.meaning, message, at: node)
    }
    return nil
  }

  /// Returns the single collection that `node` names, for a step that gives its items new ids or moves them.
  func readStepCollection(_ node: Node) -> CollectionHandle? {
    guard let handle = readCollection(node) else { return nil }
    guard collectionNames.opens(handle) else { return handle }
    report(.meaning, "the items of '\(collectionNames[handle].id)' open collections, and no step moves them", at: node)
    return nil
  }

  /// Reads `pile`, `pile/3` or, where there is a seat, `pile/{seat}`.
  func collectionName(_ node: Node) -> String? {
    path(node, "not the name of a collection or a kind")
  }
}

/// An entry of `collections` or `opened`.
struct KindEntry {
  let node: Node
  /// Whether the options leave it in the table type.
  let isActive: Bool
}

extension Node {
  /// Whether the entry of a kind says that everyone may see every face.
  fileprivate var showsFaces: Bool {
    if case .boolean(true)? = self["private"]?.json.content { return false }
    guard case .text(let faces)? = self["faces"]?.json.content else { return true }
    return faces == "up"
  }
}
