package import BaizeClient
import BaizeDriver
package import BaizeSync
package import BaizeTable
import BaizeTableTypes
package import BaizeTransport
import BaizeWire
import Foundation

/// A player with a live replica: the client library's machine over a ``BlockingClient``.
package final class BlockingPlayer {
  package private(set) var client: BlockingClient?
  package private(set) var machine: ClientMachine
  package private(set) var diffs: [Diff] = []
  package private(set) var answers: [Answered] = []
  package private(set) var goodbyes: [Goodbye] = []
  /// The reasons why its copy differed from the daemon's.
  package private(set) var divergences: [String] = []
  private let address: SocketAddress
  private let receiveBufferBytes: Int32?
  private var effects: [ClientEffect] = []

  /// Joins a table.
  package init(
    _ address: SocketAddress, table: String, type: String = "", name: String = "player", role: Role = .player,
    receiveBufferBytes: Int32? = nil
  ) throws {
    self.address = address
    self.receiveBufferBytes = receiveBufferBytes
    var configuration = ClientConfiguration(table: table, tableType: type, name: name, role: role)
    configuration.backoffMilliseconds = 10
    configuration.backoffMillisecondsMax = 50
    configuration.retryMilliseconds = 20
    configuration.waitForSlowMachines()
    machine = ClientMachine(
      configuration: configuration, types: TableTypeCompiler.shared,
      random: RandomSource(seed: .random(in: .min ... .max)))
    machine.start(at: now, into: &effects)
    carryOut()
    guard try read(until: { $0.machine.isLive }) else { throw RunFailure("\(name) did not join \(table)") }
  }

  private var now: Instant { Instant(nanoseconds: MonotonicClock.now()) }

  /// The bytes received on its present connection.
  package var bytesReceived: Int { client?.bytesReceived ?? 0 }

  package var epoch: UInt64 { machine.welcome?.epoch.rawValue ?? 0 }

  /// The items of the first collection.
  package var items: [ItemID] { machine.replica?.state.itemIDs(in: CollectionHandle(rawValue: 1)) ?? [] }

  // MARK: Acting

  /// Submits a move to the end of the first collection.
  package func move(_ item: ItemID) {
    let destination = Destination.end(of: CollectionHandle(rawValue: 1))
    submit(.move([item], to: destination))
  }

  /// Submits a new item, at the end of the first collection.
  package func insert(_ title: String) {
    let item = NewItem(attributes: [Attribute("title", title)], representations: [])
    submit(.insert([item], .end(of: CollectionHandle(rawValue: 1))))
  }

  package func submit(_ kind: TableOperation.Kind) {
    _ = machine.submit(kind, at: now, into: &effects)
    carryOut()
  }

  // MARK: Receiving

  /// Reads until the condition holds. The machine's time does not advance.
  ///
  /// - Returns: Whether it held before the stream ended or a read timed out.
  package func read(until condition: (BlockingPlayer) -> Bool) throws -> Bool {
    while !condition(self) {
      guard let message = try client?.next() else { return false }
      receive(message)
    }
    return true
  }

  /// Reads, ticks and reconnects after a lost connection, until the condition holds.
  ///
  /// - Returns: Whether it held in time.
  package func run(until condition: (BlockingPlayer) throws -> Bool) throws -> Bool {
    let end = MonotonicClock.now() + HangGuard.nanoseconds
    while try !condition(self) {
      guard MonotonicClock.now() < end else { return false }
      try readSoon()
      machine.tick(at: now, into: &effects)
      carryOut()
    }
    return true
  }

  /// Reads one message, if it arrives within some milliseconds.
  private func readSoon() throws {
    guard let client else { return Thread.sleep(forTimeInterval: 0.002) }
    client.wait(seconds: 0, microseconds: 5_000)
    defer { client.wait(seconds: HangGuard.seconds) }
    if let message = try client.next() {
      receive(message)
    } else if client.hasEnded {
      loseConnection()
    }
  }

  private func receive(_ message: ServerMessage) {
    if case .goodbye(let goodbye) = message { goodbyes.append(goodbye) }
    machine.receive(message, at: now, into: &effects)
    carryOut()
  }

  /// Closes the connection without a goodbye.
  package func loseConnection() {
    client = nil
    machine.closed(at: now, into: &effects)
    carryOut()
  }

  /// Returns whether the replica's confirmed state is the daemon's, hash for hash (I1).
  package func isLevel() throws -> Bool {
    client?.send(.ping(Ping(nonce: .max, wantsHash: true)))
    while let message = try client?.next() {
      guard case .pong(let pong) = message, pong.nonce == .max else {
        receive(message)
        continue
      }
      var replica = machine.replica
      return divergences.isEmpty && replica?.agrees(with: pong) == true
    }
    return false
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
    case .persist: break
    case .send(let message): client?.send(message)
    case .refreshToken: break
    case .disconnect: client = nil
    case .event(.diff(let diff)): diffs.append(diff)
    case .event(.answered(let answered)): answers.append(answered)
    case .event(.diverged(let why)): divergences.append(why)
    case .event: break
    }
  }

  private func connect() {
    do {
      client = try BlockingClient(address, receiveBufferBytes: receiveBufferBytes)
      machine.connected(at: now, into: &effects)
    } catch {
      machine.closed(at: now, into: &effects)
    }
  }
}
