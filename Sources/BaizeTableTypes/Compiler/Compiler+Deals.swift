import BaizeTable

extension Compiler {
  /// Reads the deals of a deck of `count` items (`nil` if unknown), one for each collection.
  func readDeals(_ node: Node, count: Int?) -> [Deck.Deal] {
    var deals: [Deck.Deal] = []
    var left = count
    let mistakesBefore = mistakes.count
    for node in list(node, countMin: 1) {
      guard let deal = readDeal(node) else { continue }
      guard deals.count + deal.targets.count <= DocumentLimits.dealsMax else {
        report(.meaning, "this exceeds the limit of \(DocumentLimits.dealsMax) deals", at: node)
        continue
      }
      for target in deal.targets {
        let count = deal.count.flatMap { dealt($0, to: target, at: node) }
        if deal.count != nil && count == nil { break }
        deals.append(Deck.Deal(to: target.handle, count: count, up: deal.up))
        guard let have = left else { continue }
        let taken = count ?? have
        guard taken <= have else {
          report(.meaning, "\(target.name) gets \(taken) items, and \(have) are left", at: node)
          left = nil
          continue
        }
        left = have - taken
        open(taken, in: target.handle, at: node)
      }
    }
    if let left, left > 0, mistakes.count == mistakesBefore {
      report(.meaning, "\(left) items of the deck are not dealt", at: node)
    }
    return deals
  }

  /// An entry of `deal`. It stands for one deal to each collection of a kind.
  private struct DealEntry {
    let targets: [Target]
    let count: Term?
    let up: Deck.Deal.Up
  }

  /// A collection that items are dealt to.
  private struct Target {
    let handle: CollectionHandle
    /// The name, for messages.
    let name: String
    /// The attributes that counts may read.
    let attributes: [Attribute]
  }

  private func readDeal(_ node: Node) -> DealEntry? {
    guard let fields = object(node, required: ["to"], optional: ["count", "up"]) else { return nil }
    let targets = fields["to"].flatMap { readTargets($0) }
    let count = fields["count"].map { readCount($0, in: .deal) }
    let up = fields["up"].flatMap { word($0, ["all": Deck.Deal.Up.all, "none": .none, "last": .last]) } ?? .all
    guard let targets else { return nil }
    guard let count else {
      if targets.count > 1 {
        report(
          .meaning, "this names \(targets.count) collections; 'count' must say how many items each gets", at: node)
      }
      return DealEntry(targets: targets, count: nil, up: up)
    }
    return count.map { DealEntry(targets: targets, count: $0, up: up) }
  }

  /// Reads the name of a collection or a kind, or `{"item": 1, "of": "columns"}`: what the first item there opens.
  private func readTargets(_ node: Node) -> [Target]? {
    guard case .object = node.json.content else {
      return readCollections(node)?.map { handle in
        let rules = collectionNames[handle]
        return Target(handle: handle, name: "'\(rules.id)'", attributes: rules.attributes)
      }
    }
    guard let fields = object(node, required: ["item", "of"]) else { return nil }
    let number = fields["item"].flatMap { integer($0, in: 1...Int64(DocumentLimits.itemsMax)) }
    let opener = fields["of"].flatMap { readCollection($0) }
    guard let number, let opener, let openings = dealtOpenings else { return nil }
    let name = "item \(number) of '\(collectionNames[opener].id)'"
    guard collectionNames.opens(opener) else {
      report(.meaning, "the items of '\(collectionNames[opener].id)' open no collections", at: node)
      return nil
    }
    guard let handle = openings.opened(by: Int(number), of: opener) else {
      report(.meaning, "\(name) is not dealt before", at: node)
      return nil
    }
    return [Target(handle: handle, name: name, attributes: [])]
  }

  /// Notes what new items of a collection open.
  private func open(_ count: Int, in collection: CollectionHandle, at node: Node) {
    guard dealtOpenings?.add(count, to: collection) == false else { return }
    report(.meaning, "the items of a table open at most \(TableLimits.openedCollectionsMax) collections", at: node)
    dealtOpenings = nil
  }

  private func dealt(_ count: Term, to target: Target, at node: Node) -> Int? {
    let number = count.number(at: target.attributes)
    if let number, (0...Int64(DocumentLimits.itemsMax)).contains(number) { return Int(number) }
    let what = number.map { "\($0) items" } ?? "no number of items"
    report(.meaning, "\(target.name) gets \(what)", at: node)
    return nil
  }
}

/// The collections that the items of a set-up open, in the order of their handles.
struct DealtOpenings {
  private let kinds: [CollectionKind]
  /// The kind of each collection of the table type, then of each that an item of the set-up opens.
  private var kindOfCollection: [Int]
  /// The collections that the items of a collection of the table type open, in order.
  private var openedBy: [CollectionHandle: [CollectionHandle]] = [:]
  private let ownCount: Int

  init(_ kinds: [CollectionKind], _ collections: [CollectionRules]) {
    self.kinds = kinds
    kindOfCollection = collections.map(\.kind)
    ownCount = collections.count
  }

  /// Returns the collection that the `number`th item of a collection opens; `nil` if that has fewer items.
  func opened(by number: Int, of collection: CollectionHandle) -> CollectionHandle? {
    let opened = openedBy[collection, default: []]
    return number <= opened.count ? opened[number - 1] : nil
  }

  /// Adds new items at the end of a collection; returns `false` if they open too many.
  mutating func add(_ count: Int, to collection: CollectionHandle) -> Bool {
    guard let kind = kinds[kindOfCollection[Int(collection.rawValue) - 1]].opens?.kind else { return true }
    guard count <= TableLimits.openedCollectionsMax - (kindOfCollection.count - ownCount) else { return false }
    for _ in 0..<count {
      openedBy[collection, default: []].append(CollectionHandle(rawValue: UInt32(kindOfCollection.count + 1)))
      kindOfCollection.append(kind)
    }
    return true
  }
}

extension Term {
  /// Returns the term's value where only a collection's own attributes can be read; `nil` if it has none.
  fileprivate func number(at attributes: [Attribute]) -> Int64? {
    switch self {
    case .constant(.number(let number)):
      return number
    case .collection(.destination, let name):
      guard case .number(let number)? = attributes.first(where: { $0.name == name })?.value else {
        return nil
      }
      return number
    case .sum(let terms):
      return terms.reduce(0) { sum, term in
        guard let sum, let number = term.number(at: attributes) else { return nil }
        let (total, overflow) = sum.addingReportingOverflow(number)
        return overflow ? nil : total
      }
    case .difference(let left, let right):
      guard let left = left.number(at: attributes), let right = right.number(at: attributes) else { return nil }
      let (difference, overflow) = left.subtractingReportingOverflow(right)
      return overflow ? nil : difference
    case .constant, .attribute, .collection, .variable, .count, .countWhere, .group, .bySeat:
      return nil
    }
  }
}
