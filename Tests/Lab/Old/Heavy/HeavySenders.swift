import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire

/// `baize-lab senders`: the process that sends the heaviest legal operations, started by `baize-lab heavy`.
///
/// Each has a table of its own, and always has sixteen operations in flight. Each of those moves as many items as an
/// operation may name, from all over the collection.
final class HeavySenders: FrameHandler {
  let connections: ConnectionSet
  private let items: Int
  private var senders: [Sender] = []
  private(set) var acceptedCount = 0

  private static let inFlightMax = 16

  private struct Sender {
    let key: ConnectionKey
    var epoch = Epoch(rawValue: 1)
    var revision = Revision.zero
    var known: [ItemID] = []
    var next = SequenceNumber(rawValue: 1)
    var inFlight = 0
    var isReady = false
  }

  static let marker = "senders aim at "

  /// - Parameter arguments: An address, the numbers of senders and items, and the end on the monotonic clock.
  static func run(_ arguments: ArraySlice<String>) -> Never {
    let words = Array(arguments)
    guard words.count == 4, let address = try? SocketAddress(parsing: words[0]), let count = Int(words[1]),
      let items = Int(words[2]), let end = UInt64(words[3])
    else { Console.refuse("baize-lab senders", "needs an address, two numbers and a time") }
    do {
      Affinity.lowerPriority()
      let senders = try HeavySenders(count, items: items, at: address)
      Console.print("\(marker)\(address)")
      try senders.connections.loop.run(senders, until: end)
      Console.print("\(senders.acceptedCount)")
      Console.end(.success)
    } catch {
      Console.refuse("baize-lab senders", "\(error)")
    }
  }

  private init(_ count: Int, items: Int, at address: SocketAddress) throws {
    self.items = items
    connections = try ConnectionSet()
    for number in 0..<count { senders.append(Sender(key: try connections.connect(to: address, as: number))) }
  }

  func opened(_ number: Int) {
    let hello = Hello(table: "heavy-\(number)", tableType: "list?items=\(items)", name: "sender")
    connections.send(.hello(hello), to: senders[number].key)
  }

  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    handle(try ServerMessage(decoding: frame), &senders[number])
    while senders[number].isReady, senders[number].inFlight < Self.inFlightMax { submit(&senders[number]) }
  }

  func ended(_ number: Int, _ reason: String) { senders[number].isReady = false }

  private func handle(_ message: ServerMessage, _ sender: inout Sender) {
    switch message {
    case .welcome(let welcome): sender.epoch = welcome.epoch
    case .snapshot(let part):
      sender.known += part.items.map(\.id)
      sender.revision = part.revision
      sender.isReady = part.isComplete
    case .diff(let diff):
      sender.revision = diff.revision
      guard diff.sequence > .zero else { return }
      acceptedCount += 1
      sender.inFlight -= 1
    case .outcome(let outcome):
      sender.inFlight -= 1
      if outcome.verdict == .retry { sender.next = min(sender.next, outcome.sequence) }
    case .goodbye, .drag, .pong, .seats, .presence, .chat, .countdown, .unknown: break
    }
  }

  private func submit(_ sender: inout Sender) {
    let count = min(TableLimits.itemsPerOperationMax, sender.known.count)
    let step = max(1, sender.known.count / count)
    let first = Int(sender.next.rawValue) % step
    let operation = TableOperation(
      sequence: sender.next, base: sender.revision, epoch: sender.epoch, unanswered: UInt32(sender.inFlight),
      kind: .move((0..<count).map { sender.known[$0 * step + first] }, to: .end(of: CollectionHandle(rawValue: 1))))
    sender.next = sender.next.next
    sender.inFlight += 1
    connections.send(.operation(operation), to: sender.key)
  }
}
