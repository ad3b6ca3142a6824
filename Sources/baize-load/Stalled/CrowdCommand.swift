import BaizeCommandLine
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// `baize-load crowd`: the process of a crowd that comes at once and goes at once, started by `baize-load stalled`.
enum CrowdCommand {
  /// What a crowd is to do. Moments are those of the monotonic clock, which all processes share.
  struct Plan {
    /// `nil` for a listener of the crowd's own process: then the machine has the work, and no daemon.
    var address: SocketAddress?
    var count = 2_000
    var comesAt: UInt64 = 0
    var leavesAt: UInt64 = 0

    var arguments: [String] { ["crowd", address.map { "\($0)" } ?? "-", "\(count)", "\(comesAt)", "\(leavesAt)"] }

    init() {}

    init?(_ arguments: [String]) {
      guard arguments.count == 4, let count = Int(arguments[1]), let comes = UInt64(arguments[2]),
        let leaves = UInt64(arguments[3])
      else { return nil }
      address = try? SocketAddress(parsing: arguments[0])
      (self.count, comesAt, leavesAt) = (count, comes, leaves)
    }
  }

  static let marker = "crowd aims at "

  static func run(_ arguments: ArraySlice<String>) -> Never {
    guard let plan = Plan(Array(arguments)) else {
      Console.refuse("baize-load crowd", "needs an address or '-', a number, and two moments")
    }
    do {
      // What the crowd itself computes is not to be taken from those who are measured, whatever those were started under.
      var parameters = sched_param()
      sched_setscheduler(0, SCHED_OTHER, &parameters)
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
      DescriptorLimit.raise()
      let crowd = try Crowd(plan)
      Console.print("\(marker)\(crowd.address)")
      try crowd.perform()
      Console.print("\(crowd.welcomed) \(crowd.lastWelcome > plan.comesAt ? crowd.lastWelcome - plan.comesAt : 0)")
      // The system closes them all.
      Console.end(.success)
    } catch {
      Console.refuse("baize-load crowd", "\(error)")
    }
  }
}

/// Connections that come at once. Three of four say hello, as spectators of tables that no one else is at; the fourth says
/// nothing.
private final class Crowd: OutgoingHandler {
  let address: SocketAddress
  private let plan: CrowdCommand.Plan
  private let loop: EventLoop
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private(set) var welcomed = 0
  private(set) var lastWelcome: UInt64 = 0
  private var connectedCount = 0

  private static let tables = 64

  init(_ plan: CrowdCommand.Plan) throws {
    self.plan = plan
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    let own = plan.address == nil ? try loop.listen(on: .loopback(port: 0)) : nil
    address = plan.address ?? own.flatMap(loop.address) ?? .loopback(port: 0)
  }

  func perform() throws {
    try loop.run(self, until: plan.comesAt)
    for _ in 0..<plan.count { _ = try loop.connect(to: address) }
    try loop.run(self, until: plan.leavesAt)
  }

  func connected(_ connection: ConnectionKey) {
    connectedCount += 1
    guard connectedCount % 4 != 0 else { return }
    let table = "crowd-\(connectedCount % Self.tables)"
    let hello = Hello(table: table, tableType: "list?items=10", name: "crowd", role: .spectator)
    ClientMessage.hello(hello).framed().withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard plan.address != nil else { return bytes.count }
    var position = 0
    while let range = try? reader.next(in: bytes, from: position) {
      position = range.upperBound
      let message = try? ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]))
      guard case .welcome? = message else { continue }
      welcomed += 1
      lastWelcome = MonotonicClock.now()
    }
    return position
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
}
