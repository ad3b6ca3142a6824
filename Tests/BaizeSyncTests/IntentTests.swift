import BaizeTable
import BaizeWire
import Foundation
import TestSupport
import Testing

@testable import BaizeSync

/// I9, N3 and N4: authors who type at the same gaps at the same time keep their runs whole.
@Suite(.dedicatedThreads) struct IntentTests {
  /// The number of seeds for each argument; `BAIZE_SEEDS` sets it, and `BAIZE_SEED` runs that one alone.
  static let seeds =
    ProcessInfo.processInfo.environment["BAIZE_SEEDS"].flatMap { UInt64($0) }
    ?? LongForm.count(20, long: 250)

  @Test(arguments: 0..<8)
  func `I9: no run that an author types is divided by another's`(part: UInt64) throws {
    let only = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) }
    for seed in only.map({ $0..<($0 + 1) }) ?? (part * Self.seeds)..<((part + 1) * Self.seeds) {
      var desk = WritingDesk(seed: seed)
      desk.run()
      try #require(desk.divided == nil, "seed \(seed): \(desk.divided ?? "")")
    }
  }
}

/// Three authors who type runs into one list, and others who move and remove what stands there. Answers and diffs arrive
/// late, at random.
private struct WritingDesk {
  /// A run: items that one author typed one after the other.
  private struct Run {
    var direction: Direction
    /// The operations that typed them, in the order in which the items should stand.
    var operations: [SequenceNumber] = []
    /// The operation that typed the last one.
    var last: SequenceNumber?
    /// Those of items that were typed next to one that others had moved before the author's eyes: they belong to where
    /// that one is, which may be between two items of another's run.
    var followers: Set<SequenceNumber> = []
    var length: Int
    var anchor: ItemID
  }

  private enum Direction: CaseIterable {
    case forward
    case backward
    /// Each item before or behind the one that was typed last.
    case mixed
  }

  private struct Writer {
    var replica: Replica
    var memory = AuthorMemory()
    var outgoing: [TableOperation] = []
    var incoming: [Message] = []
    var runs: [Run] = []
    /// The items that this author has seen others move.
    var seenMoved: Set<ItemID> = []
  }

  private enum Message {
    case diff(Diff)
    case outcome(Outcome)
  }

  private static let type = TableType(
    name: "page", document: "page", seatsMax: 8, contention: .first,
    collections: [CollectionRules(id: "page", kind: 0)],
    kinds: [
      CollectionKind(
        name: "page", lift: LiftRule(offers: [.move, .copy, .delete]),
        accept: AcceptRule(operations: [.move, .copy], inserts: true))
    ])

  private var random: RandomSource
  private var table: Table
  private var writers: [Writer]
  private let list = CollectionHandle(rawValue: 1)
  private var finalIDs: [Int: [SequenceNumber: ItemID]] = [:]
  /// The items that others have moved.
  private var disturbed: Set<ItemID> = []
  private(set) var divided: String?

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
    table = Table(type: Self.type, random: RandomSource(seed: seed))
    let setUp = TableOperation(
      sequence: SequenceNumber(rawValue: 1), base: .zero, epoch: Epoch(rawValue: 1),
      kind: .insert((0..<6).map { NewItem(attributes: [Attribute("n", $0)]) }, .end(of: list)))
    var memory = AuthorMemory()
    _ = table.judge(setUp, by: Author(session: SessionID(rawValue: 99), seat: SeatNumber(rawValue: 8)), memory: &memory)
    let state = table.state
    writers = (1...4).map { number in
      Writer(
        replica: Replica(
          state: state, epoch: Epoch(rawValue: 1),
          author: Author(session: SessionID(rawValue: UInt64(number)), seat: SeatNumber(rawValue: UInt32(number))),
          lastSequence: .zero))
    }
  }

  /// Returns a random number below `bound`.
  private mutating func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(bound))) }

  mutating func run() {
    let anchors = table.state.itemIDs(in: list)
    let first = below(5)
    for index in 0..<3 {
      let anchor = anchors[first + below(2)]
      writers[index].runs = [Run(direction: Direction.allCases[below(3)], length: 2 + below(5), anchor: anchor)]
    }
    var steps = 0
    while steps < 400 {
      steps += 1
      let index = below(4)
      switch below(3) {
      case 0: index < 3 ? type(index) : disturb()
      case 1: deliverOperation(of: index)
      default: deliverMessage(to: index)
      }
    }
    for index in writers.indices {
      while !writers[index].outgoing.isEmpty { deliverOperation(of: index) }
    }
    for index in writers.indices {
      while !writers[index].incoming.isEmpty { deliverMessage(to: index) }
    }
    check()
  }

  /// Types the next item of the author's run, next to the one before.
  private mutating func type(_ index: Int) {
    var writer = writers[index]
    guard var run = writer.runs.first, run.operations.count < run.length else { return }
    let shown = writer.replica.state.itemIDs(in: list)
    let place: Int
    var (isFollower, isBehind) = (false, false)
    if let last = run.last {
      let name =
        finalIDs[index]?[last].flatMap { shown.contains($0) ? $0 : nil }
        ?? ItemID.provisional(operation: last, number: 0)
      guard let position = shown.firstIndex(of: name) else { return }
      isBehind = run.direction == .forward || (run.direction == .mixed && below(2) == 0)
      place = isBehind ? position + 1 : position
      isFollower = writer.seenMoved.contains(name) || run.followers.contains(last)
    } else {
      place = shown.firstIndex(of: run.anchor) ?? shown.count
    }
    let destination: Destination =
      place < shown.count ? .before(shown[place], in: list) : .end(of: list)
    let submission = writer.replica.submit(
      .insert([NewItem(attributes: [Attribute("by", Int64(index))])], destination))
    guard let operation = submission.operation else { return }
    let last = run.operations.firstIndex { $0 == run.last } ?? 0
    run.operations.insert(operation.sequence, at: isBehind ? last + 1 : last)
    run.last = operation.sequence
    if isFollower { run.followers.insert(operation.sequence) }
    writer.runs[0] = run
    writer.outgoing.append(operation)
    writers[index] = writer
  }

  /// Moves or removes an item.
  private mutating func disturb() {
    let shown = writers[3].replica.state.itemIDs(in: list)
    guard !shown.isEmpty else { return }
    let item = shown[below(shown.count)]
    let kind: TableOperation.Kind
    if below(3) == 0, shown.count > 3 {
      kind = .remove([item])
    } else {
      let place = below(shown.count + 1)
      kind = .move([item], to: place < shown.count ? .before(shown[place], in: list) : .end(of: list))
    }
    if let operation = writers[3].replica.submit(kind).operation { writers[3].outgoing.append(operation) }
  }

  private mutating func deliverOperation(of index: Int) {
    guard !writers[index].outgoing.isEmpty else { return }
    let operation = writers[index].outgoing.removeFirst()
    let author = writers[index].replica.author
    switch table.judge(operation, by: author, memory: &writers[index].memory) {
    case .accepted(let diff):
      if index == 3 { disturbed.formUnion(diff.items) }
      if let made = diff.minted.first { finalIDs[index, default: [:]][operation.sequence] = made }
      for reader in writers.indices {
        writers[reader].incoming.append(.diff(reader == index ? diff : diff.forOthers))
      }
    case .unchanged:
      writers[index].incoming.append(
        .outcome(Outcome(sequence: operation.sequence, verdict: .unchanged, revision: table.state.revision)))
    case .refused(let refusal):
      writers[index].incoming.append(
        .outcome(
          Outcome(sequence: operation.sequence, verdict: .refused, refusal: refusal, revision: table.state.revision)))
    case .retry(let refusal):
      Issue.record("retry: \(refusal)")
    }
  }

  private mutating func deliverMessage(to index: Int) {
    guard !writers[index].incoming.isEmpty else { return }
    switch writers[index].incoming.removeFirst() {
    case .diff(var diff):
      if diff.author != writers[index].replica.author.session { diff.minted = [] }
      if diff.author == writers[3].replica.author.session { writers[index].seenMoved.formUnion(diff.items) }
      do { _ = try writers[index].replica.receive(diff) } catch { Issue.record("\(error)") }
    case .outcome(let outcome): _ = writers[index].replica.receive(outcome)
    }
  }

  /// Looks for an item of one run between two of another that were not moved by others.
  private mutating func check() {
    let order = table.state.itemIDs(in: list)
    var owner: [ItemID: Int] = [:]
    for (index, ids) in finalIDs where index < 3 {
      for (operation, id) in ids
      where !disturbed.contains(id) && !writers[index].runs[0].followers.contains(operation) {
        owner[id] = index
      }
    }
    var sequence: [Int] = []
    for id in order {
      guard let run = owner[id], run != sequence.last else { continue }
      sequence.append(run)
    }
    if Set(sequence).count != sequence.count {
      divided = order.map { id in
        "\(id.rawValue)" + (owner[id].map { ["A", "B", "C"][$0] } ?? "")
      }.joined(separator: " ")
    }
    for index in 0..<3 {
      let expected = writers[index].runs[0].operations.compactMap { finalIDs[index]?[$0] }.filter { owner[$0] == index }
      let standing = order.filter { owner[$0] == index }
      if standing != expected.filter(standing.contains) {
        divided = "out of order: \(standing.map(\.rawValue)), expected \(expected.map(\.rawValue))"
      }
    }
  }
}
