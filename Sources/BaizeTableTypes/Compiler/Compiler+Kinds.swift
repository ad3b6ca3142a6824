import BaizeTable

extension Compiler {
  private static let operations: KeyValuePairs<String, DropOperation> = [
    "copy": .copy, "move": .move, "alias": .alias, "delete": .delete,
  ]

  /// Reads the list `collections` or `opened` without its rules.
  func readKindEntries(_ node: Node) -> [KindEntry] {
    list(node, countMin: 1).map { KindEntry(node: $0, isActive: readGuard($0["if"])) }
  }

  /// Reads the rules of the entries of a list whose names have been read already; of those that the options exclude it only
  /// reports the mistakes.
  func readKinds(_ entries: [KindEntry], isOpened: Bool) -> [CollectionKind] {
    entries.compactMap { entry in
      let kind = reading(excluded: !entry.isActive) { readKind(entry.node, isOpened: isOpened) }
      return entry.isActive ? kind : nil
    }
  }

  private func readKind(_ node: Node, isOpened: Bool) -> CollectionKind? {
    let optional = ["faces", "private", "exposed", "updates", "lift", "accept", "opens", "show", "if"]
    guard let fields = object(node, required: ["kind"], optional: isOpened ? optional : ["ids", "family"] + optional)
    else { return nil }
    let faces =
      fields["faces"].flatMap { word($0, ["up": FaceRule.up, "down": .down, "each": .each, "owner": .owner]) } ?? .up
    let isPrivate = boolean(fields["private"], default: false)
    if faces == .owner, let node = fields["faces"] { requireOwners(fields, at: node) }
    if isPrivate, let node = fields["private"] {
      requireOwners(fields, at: node)
      if faces == .each {
        report(.meaning, "a private collection has no face-down items: \"faces\" cannot be \"each\"", at: node)
      }
    }
    let turnsExposed = fields["exposed"].flatMap { word($0, ["turn": true]) } ?? false
    if turnsExposed, faces != .each, let exposed = fields["exposed"] {
      report(.meaning, "items can be turned only if \"faces\" is \"each\"", at: exposed)
    }
    let (allowsUpdate, updateConditions) = readUpdates(fields["updates"])
    let isOpen = faces == .up && !isPrivate
    let lift = fields["lift"].map { readLift($0, isOpen: isOpen) } ?? LiftRule(path: node.path.description)
    let accept = fields["accept"].map { readAccept($0, isOpen: isOpen) } ?? AcceptRule(path: node.path.description)
    if let node = fields["lift"]?["offers"], lift.offers.contains(.alias) { checkAliases(node, fields, isOpen: isOpen) }
    if let node = fields["accept"]?["operations"], accept.operations.contains(.alias) {
      checkAliases(node, fields, isOpen: isOpen)
    }
    let opens = fields["opens"].flatMap { readOpening($0) }
    if let node = fields["opens"] { checkOpening(node, isOpen: isOpen, lift, accept) }
    let (title, layout) = fields["show"].map { readShownKind($0) } ?? (nil, nil)
    guard case .text(let name)? = fields["kind"]?.json.content else { return nil }
    return CollectionKind(
      name: name, faces: faces, isPrivate: isPrivate, lift: lift, accept: accept, turnsExposed: turnsExposed,
      allowsUpdate: allowsUpdate, updateConditions: updateConditions, opens: opens, title: title, layout: layout,
      path: node.path.description)
  }

  /// Reports aliases where not everyone sees all faces, and of items that open collections.
  private func checkAliases(_ node: Node, _ fields: Node, isOpen: Bool) {
    if !isOpen {
      report(.meaning, "aliases are only where everyone sees all faces: \"faces\": \"up\", and not private", at: node)
    } else if fields["opens"] != nil {
      report(.meaning, "items that open collections have no aliases", at: node)
    }
  }

  /// Reports a rule for owners of collections that have none.
  private func requireOwners(_ entry: Node, at node: Node) {
    guard let family = entry["family"], family["seats"] != nil, boolean(family["owned"], default: true) else {
      report(.meaning, "these collections have no owners: \"family\": { \"seats\": \"all\" }", at: node)
      return
    }
  }

  /// Reads `true`, `false`, or an object with conditions on updates.
  private func readUpdates(_ node: Node?) -> (allows: Bool, conditions: [Condition]) {
    guard let node, case .object = node.json.content else { return (boolean(node, default: false), []) }
    guard let fields = object(node, required: ["conditions"]) else { return (true, []) }
    return (true, conditions(fields["conditions"], in: .update))
  }

  private func readAccess(_ node: Node?) -> Access? {
    node.flatMap { word($0, ["anyone": .anyone, "owner": .owner]) }
  }

  private func readLift(_ node: Node, isOpen: Bool) -> LiftRule {
    var lift = LiftRule(path: node.path.description)
    if case .text = node.json.content {
      if word(node, ["none": true]) != nil { (lift.shape, lift.offers) = (.none, []) }
      return lift
    }
    let optional = ["by", "shape", "offers", "conditions", "each", "pairs", "then"]
    guard let fields = object(node, required: [], optional: optional) else { return lift }
    if let shape = fields["shape"] {
      lift.shape = word(shape, ["any": LiftRule.Shape.any, "top": .top, "run": .run]) ?? .any
    }
    lift.by = readAccess(fields["by"])
    if let offers = fields["offers"] { lift.offers = readOperations(offers).reduce(into: []) { $0.insert(.init($1)) } }
    lift.conditions = conditions(fields["conditions"], in: .lift)
    lift.each = conditions(fields["each"], in: .lift)
    lift.pairs = conditions(fields["pairs"], in: .pairs)
    if let pairs = fields["pairs"], lift.shape != .run {
      report(.meaning, "only a run (\"shape\": \"run\") has pairs", at: pairs)
    }
    lift.then = readSteps(fields["then"], items: .contended, in: isOpen ? .openMove : .move)
    return lift
  }

  private func readAccept(_ node: Node, isOpen: Bool) -> AcceptRule {
    var accept = AcceptRule(path: node.path.description)
    if case .text = node.json.content {
      if word(node, ["closed": true]) != nil { accept.operations = [] }
      return accept
    }
    let optional = [
      "by", "operations", "inserts", "from", "landing", "redirect", "capacity", "contentTypes", "conditions", "each",
      "onEmpty", "onItem", "pairs", "stamp", "then", "passesTurn", "outOfTurn",
    ]
    guard let fields = object(node, required: [], optional: optional) else { return accept }
    if let operations = fields["operations"] { accept.operations = readOperations(operations) }
    accept.by = readAccess(fields["by"])
    accept.inserts = boolean(fields["inserts"], default: false)
    if let from = fields["from"] { (accept.from, accept.fromKinds) = readOrigins(from) }
    let landings: KeyValuePairs = [
      "anywhere": AcceptRule.Landing.anywhere, "end": .end, "endOnly": .endOnly, "start": .start,
    ]
    accept.landing = fields["landing"].flatMap { word($0, landings) } ?? .anywhere
    accept.redirect = fields["redirect"].flatMap { readCollection($0) }
    accept.capacity = fields["capacity"].flatMap { readCapacity($0) }
    accept.contentTypes = fields["contentTypes"].map { list($0, countMin: 1).compactMap(readContentType) } ?? []
    accept.conditions = conditions(fields["conditions"], in: .drop)
    accept.each = conditions(fields["each"], in: .drop)
    accept.onEmpty = conditions(fields["onEmpty"], in: .dropOnEmpty)
    accept.onItem = conditions(fields["onItem"], in: .dropOnItem)
    accept.pairs = conditions(fields["pairs"], in: .dropOnItem)
    if accept.inserts, let pairs = fields["pairs"] {
      report(.meaning, "'pairs' cannot be combined with 'inserts'", at: pairs)
    }
    accept.stamps = fields["stamp"].map { readStamps($0, isOpen: isOpen) } ?? []
    accept.then = readSteps(fields["then"], items: .contended, in: isOpen ? .openMove : .move)
    accept.passesTurn = boolean(fields["passesTurn"], default: false)
    if accept.passesTurn, let node = fields["passesTurn"] { requireTurns(node) }
    accept.isOutOfTurn = boolean(fields["outOfTurn"], default: false)
    if accept.isOutOfTurn, let node = fields["outOfTurn"] { requireTurns(node) }
    return accept
  }

  /// Reads `{"owner": term, "done": null}`.
  private func readStamps(_ node: Node, isOpen: Bool) -> [AcceptRule.Stamp] {
    if !isOpen {
      report(.meaning, "items are stamped only where everyone sees them: \"faces\": \"up\", and not private", at: node)
    }
    return namedMembers(node).compactMap { name, node in
      if name == key { report(.meaning, "a key cannot be stamped: no two items may have the same", at: node) }
      if case .null = node.json.content { return AcceptRule.Stamp(name: name, value: nil) }
      return readTerm(node, in: .stamp).map { AcceptRule.Stamp(name: name, value: $0) }
    }
  }

  /// Reads operations in the order of the document, without duplicates.
  private func readOperations(_ node: Node) -> [DropOperation] {
    var operations: [DropOperation] = []
    for node in list(node, countMin: 1) {
      guard let operation = word(node, Self.operations) else { continue }
      if operations.contains(operation) {
        report(.meaning, "this operation is listed twice", at: node)
      } else {
        operations.append(operation)
      }
    }
    return operations
  }

  private func readOrigins(_ node: Node) -> (collections: Set<CollectionHandle>, opened: Set<Int>) {
    var origins: Set<CollectionHandle> = []
    var opened: Set<Int> = []
    for node in list(node, countMin: 1) {
      if case .text(let name) = node.json.content, let kind = collectionNames.openedKinds[name] {
        if !opened.insert(kind).inserted { report(.meaning, "this is listed twice", at: node) }
        continue
      }
      guard let named = readCollections(node) else { continue }
      if named.contains(where: origins.contains) {
        report(.meaning, "this is listed twice", at: node)
      } else {
        origins.formUnion(named)
      }
    }
    return (origins, opened)
  }

  private func readCapacity(_ node: Node) -> Capacity? {
    guard let fields = object(node, required: ["max"], optional: ["partial"]) else { return nil }
    let acceptsPart = boolean(fields["partial"], default: false)
    if let maximum = fields["max"], maximum["destination"] != nil {
      guard case .collection(.destination, let name)? = readTerm(maximum) else { return nil }
      return Capacity(attribute: name, acceptsPart: acceptsPart, path: node.path.description)
    }
    guard let maximum = fields["max"].flatMap({ constant($0, in: 0...Int64(DocumentLimits.itemsMax)) }) else {
      return nil
    }
    return Capacity(itemsMax: Int(maximum), acceptsPart: acceptsPart, path: node.path.description)
  }

  func readContentType(_ node: Node) -> String? {
    text(node, "not a content type", where: Name.isContentType)
  }
}
