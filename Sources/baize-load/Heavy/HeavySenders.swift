import BaizeCommandLine
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// `baize-load senders`: the process that sends the heaviest legal operations, started by `baize-load heavy`.
///
/// Each has a table of its own, and always has sixteen operations in flight. Each of those moves as many items as an
/// operation may name, from all over the collection.
final class HeavySenders: OutgoingHandler {
  private let loop: EventLoop
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private let items: Int
  private var senders: [ConnectionKey: Sender] = [:]
  private(set) var acceptedCount = 0

  private static let inFlightMax = 16

  private struct Sender {
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
    else { Console.refuse("baize-load senders", "needs an address, two numbers and a time") }
    do {
      var parameters = sched_param()
      sched_setscheduler(0, SCHED_OTHER, &parameters)
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
      let senders = try HeavySenders(items: items)
      Console.print("\(marker)\(address)")
      for _ in 0..<count { _ = try senders.loop.connect(to: address) }
      try senders.loop.run(senders, until: end)
      Console.print("\(senders.acceptedCount)")
      Console.end(.success)
    } catch {
      Console.refuse("baize-load senders", "\(error)")
    }
  }

  private init(items: Int) throws {
    self.items = items
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  func connected(_ connection: ConnectionKey) {
    let hello = Hello(table: "heavy-\(senders.count)", tableType: "list?items=\(items)", name: "sender")
    senders[connection] = Sender()
    send(.hello(hello), on: connection)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    guard var sender = senders[connection] else { return bytes.count }
    while let range = try? reader.next(in: bytes, from: position) {
      position = range.upperBound
      guard let message = try? ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])) else { continue }
      handle(message, &sender)
    }
    if sender.isReady {
      while sender.inFlight < Self.inFlightMax { submit(&sender, on: connection) }
    }
    senders[connection] = sender
    return position
  }

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
    case .goodbye, .drag, .pong, .seats, .unknown: break
    }
  }

  private func submit(_ sender: inout Sender, on connection: ConnectionKey) {
    let count = min(TableLimits.itemsPerOperationMax, sender.known.count)
    let step = max(1, sender.known.count / count)
    let first = Int(sender.next.rawValue) % step
    let items = ItemList((0..<count).map { sender.known[$0 * step + first] })
    let operation = TableOperation(
      sequence: sender.next, base: sender.revision, epoch: sender.epoch, unanswered: UInt32(sender.inFlight),
      kind: .reorder(
        ReorderDifference(sources: items, destination: .end(of: CollectionHandle(rawValue: 1))), suggested: []))
    sender.next = SequenceNumber(rawValue: sender.next.rawValue + 1)
    sender.inFlight += 1
    send(.operation(operation), on: connection)
  }

  private func send(_ message: ClientMessage, on connection: ConnectionKey) {
    message.framed().withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { senders[connection] = nil }
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}
