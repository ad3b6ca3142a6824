import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeWire
import Testing

@testable import BaizeTransport

/// A client with a live replica: the client library's own machine over a blocking socket.
final class TestPlayer {
  private(set) var client: TestClient
  private(set) var machine: ClientMachine
  private(set) var diffs: [Diff] = []
  private(set) var answers: [Answered] = []
  private(set) var goodbyes: [Goodbye] = []
  private let address: SocketAddress
  private let receiveBufferBytes: Int32?
  private var effects: [ClientEffect] = []

  init(
    _ address: SocketAddress, table: String, type: String = "", name: String = "player", role: Role = .player,
    receiveBufferBytes: Int32? = nil
  ) throws {
    self.address = address
    self.receiveBufferBytes = receiveBufferBytes
    client = try TestClient(address, receiveBufferBytes: receiveBufferBytes)
    var configuration = ClientConfiguration(table: table, tableType: type, name: name, role: role)
    configuration.backoffMilliseconds = 0
    machine = ClientMachine(configuration: configuration, types: Types(), random: RandomSource(seed: 1))
    machine.start(at: now, into: &effects)
    machine.connected(at: now, into: &effects)
    try carryOut()
    try #require(try play(until: { $0.machine.isLive }))
  }

  var now: Instant { Instant(nanoseconds: MonotonicClock.now()) }

  func items() throws -> [ItemID] {
    try #require(machine.replica).state.itemIDs(in: CollectionHandle(rawValue: 1))
  }

  /// Submits a move to the end of the first collection.
  func move(_ item: ItemID) throws {
    let destination = Destination.end(of: CollectionHandle(rawValue: 1))
    let difference = ReorderDifference(sources: [item], destination: destination)
    _ = machine.submit(.reorder(difference, suggested: []), at: now, into: &effects)
    try carryOut()
  }

  /// Hears what comes until the condition holds.
  ///
  /// - Returns: Whether it did before the stream ended or nothing came any more.
  func play(until condition: (TestPlayer) -> Bool) throws -> Bool {
    while !condition(self) {
      guard let message = try client.next() else { return false }
      if case .goodbye(let goodbye) = message { goodbyes.append(goodbye) }
      machine.receive(message, at: now, into: &effects)
      try carryOut()
    }
    return true
  }

  /// Loses the connection and comes back on another one.
  func reconnect() throws {
    client.close()
    machine.closed(at: now, into: &effects)
    client = try TestClient(address, receiveBufferBytes: receiveBufferBytes)
    machine.tick(at: now.advanced(bySeconds: 10), into: &effects)
    machine.connected(at: now, into: &effects)
    try carryOut()
    try #require(try play(until: { $0.machine.isLive }))
  }

  /// Whether the replica's confirmed state is the daemon's, hash for hash (I1).
  func isLevel() throws -> Bool {
    client.send(.ping(Ping(nonce: .max, wantsHash: true)))
    var pong: Pong?
    while pong == nil, let message = try client.next() {
      if case .pong(let answer) = message, answer.nonce == .max {
        pong = answer
      } else {
        machine.receive(message, at: now, into: &effects)
        try carryOut()
      }
    }
    var replica = try #require(machine.replica)
    return replica.agrees(with: try #require(pong)) == true
  }

  private func carryOut() throws {
    defer { effects.removeAll() }
    for effect in effects {
      switch effect {
      case .send(let message): client.send(message)
      case .event(.diff(let diff)): diffs.append(diff)
      case .event(.answered(let answered)): answers.append(answered)
      case .event(.diverged(let why)): Issue.record("diverged: \(why)")
      case .connect, .disconnect, .event: break
      }
    }
  }

  private struct Types: TableTypeReader {
    func tableType(document: String, options: [Attribute]) throws -> TableType {
      try TableTypeDocument(parsing: document).makeTableType(options: options)
    }
  }
}
