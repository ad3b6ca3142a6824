import BaizeTable

/// Compiles a document to a table type in one pass that checks and translates.
final class Compiler: RuleReader {
  /// The number of values that ranges in products may still have. A deck of valid size needs no more values than items;
  /// larger ranges are not expanded.
  var rangeValuesLeft = Int64(DocumentLimits.itemsMax)
  /// The attribute that is an item's key.
  var key: String?
  /// The collections that the items of the set-up open; `nil` if kinds have mistakes.
  var dealtOpenings: DealtOpenings?
  /// Whether the steps that are being read are carried out as if another seat acted.
  var isInActing = false
  /// The time in seconds for which the seats of those who are away are kept; `nil` for as long as the daemon keeps seats.
  private var seatKeptSeconds: UInt64?

  /// The version of the language that documents name in `baize`.
  static let version: Int64 = 1

  /// Compiles the document; `nil` if it has mistakes.
  func compile(_ json: JSON, text: String) -> Compilation? {
    let top = Node.top(json)
    guard
      let fields = object(
        top, required: ["baize", "name", "collections"],
        optional: [
          "$schema", "title", "seats", "turns", "claims", "undo", "invites", "contention", "partialMoves",
          "mixedSources", "chat", "key", "faceBytes", "options", "opened", "groups", "variables", "checks", "actions",
          "endings",
          "clock", "setUp", "show",
        ])
    else { return nil }
    // For editors.
    _ = fields["$schema"].flatMap { self.text($0) }
    if let node = fields["baize"], let version = integer(node), version != Self.version {
      report(.form, "this is version \(Self.version) of the language, not \(version)", at: node)
    }
    let name = fields["name"].flatMap { plainName($0) }
    let title = fields["title"].flatMap { sentence($0) }
    turns = fields["turns"].flatMap { word($0, ["free": TurnPolicy.free, "zones": .zones, "turns": .turns]) } ?? .free
    let claims = boolean(fields["claims"], default: false)
    let allowsUndo = boolean(fields["undo"], default: true)
    let requiresInvite = boolean(fields["invites"], default: false)
    key = fields["key"].flatMap { plainName($0) }
    let contention = fields["contention"].flatMap { word($0, ["first": Contention.first, "last": .last]) } ?? .first
    let allowsPartialMoves = boolean(fields["partialMoves"], default: false)
    let allowsMixedSources = boolean(fields["mixedSources"], default: true)
    let allowsChat = boolean(fields["chat"], default: true)
    let faceBytes = fields["faceBytes"].flatMap { integer($0, in: 1...Int64(DocumentLimits.faceBytesMax)) }
    fields["options"].map { readOptions($0) }
    seats = fields["seats"].flatMap { readSeats($0) } ?? 1...1
    fields["groups"].map { readGroups($0) }
    readVariables(fields["variables"])
    let entries = fields["collections"].map { readKindEntries($0) } ?? []
    let opened = fields["opened"].map { readKindEntries($0) } ?? []
    collectionNames = readCollectionNames(entries, opened: opened)
    if let node = fields["collections"], !entries.isEmpty, !entries.contains(where: \.isActive) {
      report(.meaning, "the options exclude all collections", at: node)
    }
    fields["checks"].map { readChecks($0) }
    let kinds = readKinds(entries, isOpened: false) + readKinds(opened, isOpened: true)
    let active = (entries + opened).filter(\.isActive).map(\.node)
    if kinds.count == active.count {
      checkOpenings(kinds, active)
      dealtOpenings = DealtOpenings(kinds, collectionNames.collections)
    }
    let actions = fields["actions"].map { readActions($0) } ?? []
    let endings = fields["endings"].map { readEndings($0) } ?? []
    let timeLimits = fields["clock"].map { readClock($0, actions) } ?? TimeLimits()
    let setUp = fields["setUp"].map { readSetUp($0) } ?? SetUp()
    let appearance = fields["show"].map { readAppearance($0) } ?? Appearance()
    count(steps: setUp.itemCount)
    if let key, let node = fields["key"] { checkKey(key, kinds, setUp, at: node) }
    if let faceBytes, faceBytes < setUp.faceBytesMax, kinds.contains(where: \.hidesFaces),
      let node = fields["faceBytes"]
    {
      report(.meaning, "an item of the set-up has a face of \(setUp.faceBytesMax) bytes", at: node)
    }
    guard mistakes.isEmpty, let name else { return nil }
    let tableType = TableType(
      name: name, document: text,
      options: chosen.sorted { $0.key < $1.key }.map { Attribute(name: $0.key, value: $0.value) },
      seatsMax: seats.upperBound, seatKeptSeconds: seatKeptSeconds,
      dependsOnSeats: dependsOnSeats || turns != .free, contention: contention, turns: turns, claims: claims,
      allowsUndo: allowsUndo,
      key: key, requiresInvite: requiresInvite, allowsPartialMoves: allowsPartialMoves,
      allowsMixedSources: allowsMixedSources, allowsChat: allowsChat,
      collections: collectionNames.collections, kinds: kinds,
      variables: variables.sorted { $0.name < $1.name }, actions: actions, endings: endings,
      timeLimits: timeLimits, setUp: setUp, appearance: appearance, faceBytes: faceBytes.map(Int.init))
    return Compilation(tableType: tableType, title: title ?? name, options: options, uses: uses, steps: steps)
  }

  private func checkKey(_ key: String, _ kinds: [CollectionKind], _ setUp: SetUp, at node: Node) {
    if kinds.contains(where: \.hidesFaces) {
      report(.meaning, "a type that hides faces cannot have a key: that one is taken would reveal a face", at: node)
    }
    if !setUp.hasUniqueValues(of: key) {
      report(.meaning, "two items of the set-up have the same key \(key.quoted)", at: node)
    }
  }

  private func readSeats(_ node: Node) -> ClosedRange<Int>? {
    let seats: ClosedRange<Int64> = 1...Int64(DocumentLimits.seatsMax)
    guard let fields = object(node, required: ["max"], optional: ["min", "keep"]) else { return nil }
    fields["keep"].map { readSeatKeeping($0) }
    let minimum = fields["min"].map { integer($0, in: seats) } ?? 1
    guard let maximum = fields["max"].flatMap({ constant($0, in: seats) }), let minimum else { return nil }
    guard minimum <= maximum else {
      report(.meaning, "'min' is greater than 'max'", at: node)
      return nil
    }
    return Int(minimum)...Int(maximum)
  }

  /// Reads the time for which the seats of those who are away are kept: `"always"`, `"grace"` or a number of seconds.
  private func readSeatKeeping(_ node: Node) {
    if case .text = node.json.content {
      seatKeptSeconds = word(node, ["always": UInt64?.none, "grace": 0]) ?? nil
    } else if let seconds = integer(node, in: 0...Int64(DocumentLimits.seatKeptSecondsMax)) {
      seatKeptSeconds = UInt64(seconds)
    }
  }
}

/// The result of compiling a document without mistakes.
struct Compilation: Sendable {
  let tableType: TableType
  let title: String
  let options: [OptionDeclaration]
  let uses: [String: OptionUses]
  /// The work of compiling it (``DocumentReader/steps``).
  let steps: Int
}
