import BaizeTable

extension Compiler {
  /// Reads the deals of a deck of `count` items (`nil` if unknown), one for each collection.
  func readDeals(_ node: Node, count: Int?) -> [Deck.Deal] {
    var deals: [Deck.Deal] = []
    var left = count
    let mistakesBefore = mistakes.count
    for node in list(node, countMin: 1) {
      guard let deal = readDeal(node) else { continue }
      guard deals.count + deal.collections.count <= DocumentLimits.dealsMax else {
        report(.meaning, "this exceeds the limit of \(DocumentLimits.dealsMax) deals", at: node)
        continue
      }
      for collection in deal.collections {
        let count = deal.count.flatMap { dealt($0, to: collection, at: node) }
        if deal.count != nil && count == nil { break }
        deals.append(Deck.Deal(to: collection, count: count, up: deal.up))
        guard let have = left else { continue }
        let taken = count ?? have
        guard taken <= have else {
          report(.meaning, "'\(collectionNames[collection].id)' gets \(taken) items, and \(have) are left", at: node)
          left = nil
          continue
        }
        left = have - taken
      }
    }
    if let left, left > 0, mistakes.count == mistakesBefore {
      report(.meaning, "\(left) items of the deck are not dealt", at: node)
    }
    return deals
  }

  /// An entry of `deal`. It stands for one deal to each collection of a kind.
  private struct DealEntry {
    let collections: [CollectionHandle]
    let count: Term?
    let up: Deck.Deal.Up
  }

  private func readDeal(_ node: Node) -> DealEntry? {
    guard let fields = object(node, required: ["to"], optional: ["count", "up"]) else { return nil }
    let collections = fields["to"].flatMap { readCollections($0) }
    let count = fields["count"].map { readCount($0, in: .deal) }
    let up = fields["up"].flatMap { word($0, ["all": Deck.Deal.Up.all, "none": .none, "last": .last]) } ?? .all
    guard let collections else { return nil }
    guard let count else {
      if collections.count > 1 {
        report(
          .meaning, "this names \(collections.count) collections; 'count' must say how many items each gets", at: node)
      }
      return DealEntry(collections: collections, count: nil, up: up)
    }
    return count.map { DealEntry(collections: collections, count: $0, up: up) }
  }

  private func dealt(_ count: Term, to collection: CollectionHandle, at node: Node) -> Int? {
    let number = count.number(at: collectionNames[collection])
    if let number, (0...Int64(DocumentLimits.itemsMax)).contains(number) { return Int(number) }
    let what = number.map { "\($0) items" } ?? "no number of items"
    report(.meaning, "'\(collectionNames[collection].id)' gets \(what)", at: node)
    return nil
  }
}

extension Term {
  /// The term's value where only a collection's own attributes can be read; `nil` if it has none.
  fileprivate func number(at collection: CollectionRules) -> Int64? {
    switch self {
    case .constant(.number(let number)):
      return number
    case .collection(.destination, let name):
      guard case .number(let number)? = collection.attributes.first(where: { $0.name == name })?.value else {
        return nil
      }
      return number
    case .sum(let terms):
      return terms.reduce(0) { sum, term in
        guard let sum, let number = term.number(at: collection) else { return nil }
        let (total, overflow) = sum.addingReportingOverflow(number)
        return overflow ? nil : total
      }
    case .difference(let left, let right):
      guard let left = left.number(at: collection), let right = right.number(at: collection) else { return nil }
      let (difference, overflow) = left.subtractingReportingOverflow(right)
      return overflow ? nil : difference
    case .constant, .attribute, .collection, .variable, .count, .countWhere, .group, .own:
      return nil
    }
  }
}
