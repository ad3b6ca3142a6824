import BaizeClient
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import Testing

/// Tests of the client machine alone, while it receives a second snapshot over the same connection.
struct LoadingTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// Returns a machine that has loaded a table of two items.
  private func liveMachine(_ effects: inout [ClientEffect]) -> ClientMachine {
    var machine = ClientMachine(
      configuration: ClientConfiguration(table: "t", tableType: "list"), types: ListTypes(),
      random: RandomSource(seed: 1))
    machine.start(at: now, into: &effects)
    machine.connected(at: now, into: &effects)
    let welcome = Welcome(
      session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1), resumeToken: [1], epoch: Epoch(rawValue: 1),
      revision: .zero, lastSequence: .zero, tableType: "list", frameBytesMax: 1 << 20, history: 1_024,
      heartbeatSeconds: 15, server: "test", pendingMax: 256)
    machine.receive(.welcome(welcome), at: now, into: &effects)
    machine.receive(.snapshot(part(lastSequence: 0)), at: now, into: &effects)
    return machine
  }

  private func part(lastSequence: UInt64, isComplete: Bool = true) -> SnapshotPart {
    let handle = CollectionHandle(rawValue: 1)
    let items = [1, 2].map { Item(id: ItemID(rawValue: $0), collection: handle) }
    return SnapshotPart(
      epoch: Epoch(rawValue: 1), revision: .zero,
      collections: [CollectionSummary(handle: handle, id: "items", count: 2)], items: items, isComplete: isComplete,
      isFirst: true, lastSequence: SequenceNumber(rawValue: lastSequence),
      seats: [Seat(number: SeatNumber(rawValue: 1), name: "", session: SessionID(rawValue: 1))])
  }

  private func sentSequences(_ effects: [ClientEffect]) -> [UInt64] {
    effects.compactMap { if case .send(.operation(let operation)) = $0 { operation.sequence.rawValue } else { nil } }
  }

  @Test("An operation submitted while a snapshot loads is sent once") func submitsWhileLoading() {
    var effects: [ClientEffect] = []
    var machine = liveMachine(&effects)
    machine.receive(.snapshot(part(lastSequence: 0, isComplete: false)), at: now, into: &effects)
    #expect(machine.phase == .loading)
    let remove = TableOperation.Kind.remove([ItemID(rawValue: 1)])
    #expect(machine.submit(remove, at: now, into: &effects)?.operation != nil)
    #expect(sentSequences(effects) == [1])
    machine.receive(.snapshot(part(lastSequence: 0)), at: now, into: &effects)
    #expect(machine.isLive)
    #expect(machine.replica?.pending.count == 1)
    #expect(sentSequences(effects) == [1])
  }

  @Test("After a reconnect pending operations are sent first") func sendsPendingFirst() {
    var effects: [ClientEffect] = []
    var machine = liveMachine(&effects)
    machine.closed(at: now, into: &effects)
    _ = machine.submit(.remove([ItemID(rawValue: 1)]), at: now, into: &effects)
    let later = now.advanced(bySeconds: 60)
    machine.tick(at: later, into: &effects)
    machine.connected(at: later, into: &effects)
    guard let welcome = machine.welcome else { return }
    machine.receive(.welcome(welcome), at: later, into: &effects)
    _ = machine.submit(.remove([ItemID(rawValue: 2)]), at: later, into: &effects)
    #expect(sentSequences(effects).isEmpty)
    machine.receive(.snapshot(part(lastSequence: 0)), at: later, into: &effects)
    #expect(sentSequences(effects) == [1, 2])
  }

  @Test("A client that loads a snapshot does not spin on a retry delay") func noSpinWhileLoading() throws {
    var effects: [ClientEffect] = []
    var machine = liveMachine(&effects)
    _ = machine.submit(.remove([ItemID(rawValue: 1)]), at: now, into: &effects)
    let retry = Outcome(
      sequence: SequenceNumber(rawValue: 1), verdict: .retry, refusal: Refusal(.rateLimited), revision: .zero)
    machine.receive(.outcome(retry), at: now, into: &effects)
    machine.receive(.snapshot(part(lastSequence: 0, isComplete: false)), at: now, into: &effects)
    let later = now.advanced(byMilliseconds: 500)
    machine.tick(at: later, into: &effects)
    #expect(try #require(machine.nextDeadline) > later)
  }
}

private struct ListTypes: TableTypeReader {
  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try SimulatedTypes().tableType(named: document)
  }
}
