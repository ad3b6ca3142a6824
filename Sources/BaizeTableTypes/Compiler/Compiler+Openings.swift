import BaizeTable

/// Collections that items open: `"opens": "column"`, and the kinds under `opened`.
extension Compiler {
  /// Reads the name of a kind, or `{"kind": name, "removal": "withItems"}`.
  func readOpening(_ node: Node) -> Opening? {
    guard case .object = node.json.content else { return openedKind(node).map { Opening($0) } }
    guard let fields = object(node, required: ["kind"], optional: ["removal"]) else { return nil }
    let removesItems = fields["removal"].flatMap { word($0, ["empty": false, "withItems": true]) } ?? false
    return fields["kind"].flatMap { openedKind($0) }.map { Opening($0, removesItems: removesItems) }
  }

  private func openedKind(_ node: Node) -> Int? {
    guard let name = plainName(node) else { return nil }
    if let kind = collectionNames.openedKinds[name] { return kind }
    if collectionNames.isExcluded(name) {
      report(.meaning, "the options exclude \(name.quoted)", at: node)
      return nil
    }
    let hint = hint(for: name, among: collectionNames.openedKinds.keys)
    report(.meaning, "\"opened\" has no kind \(name.quoted)\(hint)", at: node)
    return nil
  }

  /// Reports rules that an item which opens a collection cannot have: everyone sees it, and no other one can open the same.
  func checkOpening(_ node: Node, isOpen: Bool, _ lift: LiftRule, _ accept: AcceptRule) {
    if !isOpen {
      report(.meaning, "everyone sees items that open collections: \"faces\": \"up\", and not private", at: node)
    }
    if lift.offers.contains(.copy) || accept.operations.contains(.copy) {
      report(.meaning, "items that open collections are not copied", at: node)
    }
  }

  /// Reports kinds that open one another in a circle, and kinds that nothing opens.
  func checkOpenings(_ kinds: [CollectionKind], _ entries: [Node]) {
    for (number, kind) in kinds.enumerated() {
      var chain = [kind.name]
      var next = kind.opens?.kind
      while let opened = next, chain.count <= kinds.count {
        chain.append(kinds[opened].name)
        guard opened != number else {
          let circle = chain.joined(separator: " → ")
          report(
            .meaning, "kinds open one another in a circle: \(circle)", at: entries[number]["opens"] ?? entries[number])
          break
        }
        next = kinds[opened].opens?.kind
      }
    }
    let opened = Set(kinds.compactMap { $0.opens?.kind })
    for (name, number) in collectionNames.openedKinds.sorted(by: { $0.value < $1.value })
    where !opened.contains(number) {
      report(.meaning, "no item opens a collection of the kind \(name.quoted)", at: entries[number])
    }
  }
}
