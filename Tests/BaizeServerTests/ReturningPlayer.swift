import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Foundation
import Testing

/// A client that comes back by itself: the client library's own machine over a blocking socket, with time going on.
final class ReturningPlayer {
  private(set) var machine: ClientMachine
  private(set) var answers: [Answered] = []
  private(set) var goodbyes: [GoodbyeReason] = []
  private(set) var ended: GoodbyeReason?
  private let address: SocketAddress
  private var client: TestClient?
  private var effects: [ClientEffect] = []

  init(
    _ address: SocketAddress, table: String, type: String = "", name: String = "player", role: Role = .player
  ) throws {
    self.address = address
    var configuration = ClientConfiguration(table: table, tableType: type, name: name, role: role)
    configuration.backoffMilliseconds = 10
    configuration.backoffMillisecondsMax = 50
    configuration.retryMilliseconds = 20
    machine = ClientMachine(configuration: configuration, types: JournalTypes(), random: RandomSource(seed: 1))
    machine.start(at: now, into: &effects)
    carryOut()
    try #require(try live(until: { $0.machine.isLive }))
  }

  /// How long it listens before it looks at the time again.
  private static let patienceMicroseconds = 5_000

  private var now: Instant { Instant(nanoseconds: MonotonicClock.now()) }

  var epoch: UInt64 { machine.welcome?.epoch.rawValue ?? 0 }

  func items() throws -> [ItemID] {
    try #require(machine.replica).state.itemIDs(in: CollectionHandle(rawValue: 1))
  }

  /// Submits a move to the end of the first collection.
  func move(_ item: ItemID) {
    let destination = Destination.end(of: CollectionHandle(rawValue: 1))
    submit(.reorder(ReorderDifference(sources: [item], destination: destination), suggested: []))
  }

  /// Submits a new item, at the end of the first collection.
  func insert(_ title: String) {
    let item = NewItem(attributes: [Attribute("title", title)], representations: [])
    submit(.insert([item], .end(of: CollectionHandle(rawValue: 1))))
  }

  private func submit(_ kind: TableOperation.Kind) {
    _ = machine.submit(kind, at: now, into: &effects)
    carryOut()
  }

  /// Goes on until the condition holds: hears what comes, does what is due, comes back when the connection is lost.
  ///
  /// - Returns: Whether it came to hold in time.
  func live(seconds: UInt64 = 20, until condition: (ReturningPlayer) throws -> Bool) throws -> Bool {
    let end = MonotonicClock.now() + seconds * 1_000_000_000
    while try !condition(self) {
      guard MonotonicClock.now() < end else { return false }
      try hear()
      machine.tick(at: now, into: &effects)
      carryOut()
    }
    return true
  }

  func loseConnection() {
    client = nil
    machine.closed(at: now, into: &effects)
    carryOut()
  }

  private func hear() throws {
    guard let client else { return Thread.sleep(forTimeInterval: 0.002) }
    if let message = try client.next() {
      if case .goodbye(let goodbye) = message { goodbyes.append(goodbye.reason) }
      machine.receive(message, at: now, into: &effects)
    } else if client.hasEnded {
      self.client = nil
      machine.closed(at: now, into: &effects)
    }
  }

  /// Whether the replica's confirmed state is the daemon's, hash for hash (I1).
  func isLevel() throws -> Bool {
    var agrees: Bool?
    client?.send(.ping(Ping(nonce: .max, wantsHash: true)))
    client?.wait(seconds: 10)
    defer { client?.wait(seconds: 0, microseconds: Self.patienceMicroseconds) }
    while agrees == nil, let message = try client?.next() {
      if case .pong(let pong) = message, pong.nonce == .max {
        var replica = try #require(machine.replica)
        agrees = replica.agrees(with: pong)
      } else {
        machine.receive(message, at: now, into: &effects)
        carryOut()
      }
    }
    return agrees == true
  }

  private func carryOut() {
    while !effects.isEmpty {
      let due = effects
      effects.removeAll()
      for effect in due { carryOut(effect) }
    }
  }

  private func carryOut(_ effect: ClientEffect) {
    switch effect {
    case .connect: connect()
    case .send(let message): client?.send(message)
    case .disconnect: client = nil
    case .event(.answered(let answered)): answers.append(answered)
    case .event(.diverged(let why)): Issue.record("diverged: \(why)")
    case .event(.ended(let goodbye)): ended = goodbye.reason
    case .event: break
    }
  }

  private func connect() {
    do {
      let client = try TestClient(address)
      client.wait(seconds: 0, microseconds: Self.patienceMicroseconds)
      self.client = client
      machine.connected(at: now, into: &effects)
    } catch {
      machine.closed(at: now, into: &effects)
    }
  }

  private struct JournalTypes: TableTypeReader {
    func tableType(document: String, options: [Attribute]) throws -> TableType {
      try TableTypeDocument(parsing: document).makeTableType(options: options)
    }
  }
}
