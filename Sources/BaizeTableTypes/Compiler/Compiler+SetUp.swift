import BaizeTable

extension Compiler {
  func readSetUp(_ node: Node) -> SetUp {
    var itemsLeft = DocumentLimits.itemsMax
    let decks = list(node).flatMap { node in
      let isActive = readGuard(node["if"])
      return reading(excluded: !isActive) { readDecks(node, itemsLeft: &itemsLeft) }
    }
    return SetUp(decks: decks)
  }

  /// Reads a deck, or one deck for each seat; none if the options exclude it.
  private func readDecks(_ node: Node, itemsLeft: inout Int) -> [Deck] {
    guard node["perSeat"] != nil else { return [readDeck(node, itemsLeft: &itemsLeft)].compactMap { $0 } }
    let mistakesBefore = mistakes.count
    return forEachSeat(node) {
      let deck = readDeck(node, itemsLeft: &itemsLeft)
      return mistakes.count == mistakesBefore ? deck : nil
    } ?? []
  }

  private func readDeck(_ node: Node, itemsLeft: inout Int) -> Deck? {
    let forms = ["items", "product", "numbered"]
    let deals = Dictionary(uniqueKeysWithValues: forms.map { ($0, ["deal"]) })
    guard let (form, fields) = object(node, oneOf: forms, with: deals, optional: ["shuffle", "perSeat", "if"]) else {
      return nil
    }
    let isShuffled = boolean(fields["shuffle"], default: false)
    let mark = fields["perSeat"].flatMap { plainName($0) }
    let contents = fields[form].flatMap { readContents(form, $0) }.map { $0.marked(mark, seat) }
    guard !isExcluded else {
      _ = fields["deal"].map { readDeals($0, count: nil) }
      return nil
    }
    let count = contents.flatMap { $0.count }
    if let count { itemsLeft -= min(count, itemsLeft + 1) }
    guard let contents, let count, itemsLeft >= 0 else {
      if contents != nil { report(.meaning, "more than \(DocumentLimits.itemsMax) items", at: node) }
      itemsLeft = max(itemsLeft, 0)
      _ = fields["deal"].map { readDeals($0, count: nil) }
      return nil
    }
    let read = fields["deal"].map { readDeals($0, count: count) } ?? []
    return Deck(contents: contents, isShuffled: isShuffled, deals: read)
  }

  // MARK: Contents

  private func readContents(_ form: String, _ node: Node) -> Deck.Contents? {
    switch form {
    case "items": return .items(list(node, countMin: 1).compactMap { readItem($0) })
    case "product": return readProduct(node)
    default: return readNumbered(node)
    }
  }

  private func readItem(_ node: Node) -> NewItem? {
    guard let fields = object(node, required: [], optional: ["attributes", "representations"]) else { return nil }
    let attributes = fields["attributes"].map { namedMembers($0) } ?? []
    let representations = fields["representations"].map { list($0) } ?? []
    return NewItem(
      attributes: attributes.compactMap { name, node in readConstant(node).map { Attribute(name: name, value: $0) } },
      representations: representations.compactMap { readRepresentation($0) })
  }

  private func readRepresentation(_ node: Node) -> Representation? {
    guard let fields = object(node, required: ["contentType", "text"]) else { return nil }
    let type = fields["contentType"].flatMap { readContentType($0) }
    let content = fields["text"].flatMap { text($0) }
    guard let type, let content else { return nil }
    return Representation(contentType: type, data: Array(content.utf8))
  }

  private func readProduct(_ node: Node) -> Deck.Contents? {
    let factors = namedMembers(node).map { name, node in (name: name, values: readFactor(node)) }
    if node.members.isEmpty, case .object = node.json.content {
      report(.form, "a product has at least one attribute", at: node)
    }
    return factors.isEmpty || factors.contains { $0.values.isEmpty } ? nil : .product(factors)
  }

  /// Reads a list of values, or `{"from": 1, "to": 13}`.
  private func readFactor(_ node: Node) -> [AttributeValue] {
    guard case .object = node.json.content else { return list(node, countMin: 1).compactMap { readValue($0) } }
    guard let fields = object(node, required: ["from", "to"]) else { return [] }
    let range: ClosedRange<Int64> = -DocumentLimits.memberMax...DocumentLimits.memberMax
    let first = fields["from"].flatMap { integer($0, in: range) }
    let last = fields["to"].flatMap { integer($0, in: range) }
    guard let first, let last else { return [] }
    guard first <= last, last - first < max(1, rangeValuesLeft) else {
      report(
        .meaning, first > last ? "'from' is greater than 'to'" : "more than \(DocumentLimits.itemsMax) items", at: node)
      return []
    }
    // A single value does not enlarge the deck.
    if first < last { rangeValuesLeft -= last - first + 1 }
    count(steps: Int(last - first))
    return (first...last).map { .number($0) }
  }

  private func readNumbered(_ node: Node) -> Deck.Contents? {
    guard let fields = object(node, required: ["count", "attribute"]) else { return nil }
    let count = fields["count"].flatMap { constant($0, in: 0...Int64(DocumentLimits.itemsMax)) }
    let attribute = fields["attribute"].flatMap { plainName($0) }
    guard let count, let attribute else { return nil }
    return .numbered(count: Int(count), attribute: attribute)
  }
}

extension Deck.Contents {
  /// Returns the contents with the number of `seat` as the attribute `name` of each item.
  fileprivate func marked(_ name: String?, _ seat: Int?) -> Self {
    guard let name, let seat else { return self }
    let number = AttributeValue.number(Int64(seat))
    switch self {
    case .product(let factors): return .product(factors + [(name, [number])])
    case .numbered(let count, let attribute):
      return .product([(attribute, (0..<count).map { .number(Int64($0) + 1) }), (name, [number])])
    case .items(let items):
      return .items(
        items.map { item in
          var item = item
          item.face.set(Attribute(name: name, value: number))
          return item
        })
    }
  }

  /// The number of items, computed without creating them; `nil` if it does not fit an `Int`.
  fileprivate var count: Int? {
    switch self {
    case .items(let items): return items.count
    case .numbered(let count, _): return count
    case .product(let factors):
      return factors.reduce(1) { count, factor in
        count.flatMap { count in
          let (product, overflow) = count.multipliedReportingOverflow(by: factor.values.count)
          return overflow ? nil : product
        }
      }
    }
  }
}
