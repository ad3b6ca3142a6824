import TestSupport
import Testing

@testable import BaizeTable

/// The file `Protocol/vectors/rebase.json`, whose `description` explains the fields.
struct RebaseVectors: Decodable {
  var description: String
  var cases: [Case]

  struct Case: Decodable, Sendable, CustomStringConvertible {
    var id: String
    var says: String
    var contention: String?
    var partialMoves: Bool?
    var history: Int?
    var answers: Int?
    var collections: [Collection]
    var opened: [Collection]?
    var operations: [Operation]
    var final: [String: [String]]

    var description: String { "\(id): \(says)" }
  }

  struct Collection: Decodable, Sendable {
    var id: String
    var items: [String]?
    var lift: String?
    var accepts: [String]?
    var landing: String?
    var opens: String?
    var removal: String?
    var limit: String?
    var capacity: Int?
    var acceptsPart: Bool?
    var redirect: String?
    var faces: String?

    var hasAliases: Bool { accepts?.contains("alias") ?? false }
  }

  struct Operation: Decodable, Sendable {
    var author: UInt64?
    var seq: UInt64
    var base: UInt64?
    var unanswered: UInt32?
    var move: [String]?
    var copy: [String]?
    var alias: [String]?
    var insert: [String]?
    var remove: [String]?
    var draw: [String]?
    var undo: UInt64?
    var update: String?
    var limit: Int64?
    var to: String?
    var into: String?
    var before: String?
    var beforeBy: UInt64?
    var afterBy: UInt64?
    var after: String?
    var start: Bool?
    var makes: [String]?
    var verdict: String?
    var rebased: Bool?
    var redirected: Bool?
  }

  /// The file's content. An unreadable file has no cases, which fails the tests.
  static let file: RebaseVectors = {
    do {
      return try Repository.decode("Protocol/vectors/rebase.json")
    } catch {
      return RebaseVectors(description: "\(error)", cases: [])
    }
  }()
}

extension RebaseVectors.Case {
  /// The table type that the case describes.
  var type: TableType {
    let ids = collections.map(\.id)
    func handle(_ id: String) -> CollectionHandle { CollectionHandle(index: ids.firstIndex(of: id) ?? -1) }
    let operations: [String: DropOperation] = ["move": .move, "copy": .copy, "alias": .alias, "delete": .delete]
    let declared = collections + (opened ?? [])
    let kinds = declared.map { collection in
      CollectionKind(
        name: collection.id, faces: collection.faces == "down" ? .down : .up,
        lift: LiftRule(
          shape: collection.lift == "none" ? .none : collection.lift == "run" ? .run : .any,
          offers: collection.hasAliases ? [.move, .copy, .alias, .delete] : [.move, .copy, .delete]),
        accept: AcceptRule(
          operations: (collection.accepts ?? ["move", "copy"]).compactMap { operations[$0] }, inserts: true,
          landing: collection.landing == "end" ? .end : .anywhere, redirect: collection.redirect.map(handle),
          capacity: collection.limit.map { Capacity(attribute: $0) }
            ?? collection.capacity.map { Capacity(itemsMax: $0, acceptsPart: collection.acceptsPart ?? false) }),
        allowsUpdate: collection.opens != nil || collection.hasAliases,
        opens: collection.opens.flatMap { opened in
          declared.firstIndex { $0.id == opened }.map { Opening($0, removesItems: collection.removal == "withItems") }
        })
    }
    let draw = Action(
      name: "draw",
      cases: [Action.Case(steps: [.deal(from: handle("stock"), to: handle("waste"), count: .constant(.number(1)))])],
      otherwise: Refusal(.unknownAction))
    return TableType(
      name: id, seatsMax: 8, contention: contention == "first" ? .first : .last,
      allowsPartialMoves: partialMoves ?? false,
      collections: ids.enumerated().map { CollectionRules(id: $1, kind: $0) }, kinds: kinds,
      actions: ids.contains("stock") ? [draw] : [],
      setUp: SetUp(
        decks: collections.enumerated().map { index, collection in
          Deck(
            contents: .items(Types.named(collection.items ?? [])),
            deals: [Deck.Deal(to: CollectionHandle(index: index), count: nil, up: .all)])
        }))
  }
}

extension RebaseVectors {
  /// One case while it runs: the table, and the names of its items.
  struct Run {
    var bench: Bench
    var ids: [String: ItemID] = [:]
    var names: [ItemID: String] = [:]

    init(_ vector: RebaseVectors.Case) {
      bench = Bench(vector.type, history: vector.history)
      if let answers = vector.answers { bench.answersMax = answers }
      for handle in bench.state.handles {
        for id in bench.state.itemIDs(in: handle) { name(id, bench.state.name(of: id)) }
      }
    }

    mutating func name(_ id: ItemID, _ name: String) {
      ids[name] = id
      names[id] = name
    }

    /// Returns the handle of a collection by its name, or by that of the item that opens it.
    func handle(_ name: String) -> CollectionHandle {
      ids[name].flatMap { bench.state.collectionOpened(by: $0) } ?? bench.handle(name)
    }

    func names(in collection: String) -> [String] {
      bench.state.itemIDs(in: handle(collection)).map { names[$0] ?? bench.state.name(of: $0) }
    }

    /// Returns the attribute `limit` of an item.
    func limit(of item: String) -> Int64? {
      guard case .number(let limit)? = bench.state.face(of: id(item))?["limit"] else { return nil }
      return limit
    }

    func id(_ text: String) -> ItemID {
      guard text.hasPrefix("@") else { return ids[text] ?? ItemID(rawValue: 999_999) }
      let parts = text.dropFirst().split(separator: ".").compactMap { UInt64($0) }
      return .provisional(operation: SequenceNumber(rawValue: parts[0]), number: Int(parts[1]))
    }

    /// - Returns: The verdict.
    @discardableResult
    mutating func judge(_ step: RebaseVectors.Operation, by author: UInt64, on base: Revision) -> String {
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: step.seq), base: base, epoch: Epoch(rawValue: 1),
        unanswered: step.unanswered ?? 0, kind: kind(of: step))
      let judgement = bench.judge(operation, by: SessionID(rawValue: author))
      if let verdict = step.verdict { #expect(judgement.summary == verdict, "author \(author), seq \(step.seq)") }
      guard let diff = judgement.diff else { return judgement.summary }
      if let rebased = step.rebased { #expect(diff.isRebased == rebased, "seq \(step.seq)") }
      #expect(diff.isRedirected == step.redirected ?? false, "seq \(step.seq)")
      for (id, made) in zip(diff.minted, step.makes ?? step.insert ?? []) { name(id, made) }
      return judgement.summary
    }

    func kind(of step: RebaseVectors.Operation) -> TableOperation.Kind {
      var destination = Destination(
        collection: step.to.map(bench.handle) ?? CollectionHandle(rawValue: 0),
        position: Position(anchor: step.before.map(id) ?? .none),
        after: step.start == true ? .start : step.after.map { .item(id($0)) } ?? .unspecified)
      destination.beforeBy = step.beforeBy.map(SequenceNumber.init(rawValue:))
      destination.afterBy = step.afterBy.map(SequenceNumber.init(rawValue:))
      if let opener = step.into { destination.container = id(opener) }
      if let item = step.update {
        return .update(
          id(item), attributes: [Attribute(name: "limit", value: step.limit.map(AttributeValue.number))],
          representations: [])
      }
      if let items = step.insert { return .insert(Types.named(items), destination) }
      if let items = step.remove { return .remove(ItemList(items.map(id))) }
      if let items = step.draw { return .perform(action: "draw", items: ItemList(items.map(id)), nil) }
      if let target = step.undo { return .undo(SequenceNumber(rawValue: target)) }
      let sources = (step.move ?? step.copy ?? step.alias ?? []).map(id)
      return .reorder(
        ReorderDifference(sources: sources, destination: destination),
        suggested: step.copy != nil ? .copy : step.alias != nil ? .alias : .move)
    }
  }
}
