import BaizeCommandLine
import BaizeHarness
import BaizeTransport
import BaizeWire

/// `baize-load crowd`: the process of a crowd that connects at once and leaves at once, started by `baize-load stalled`.
enum CrowdCommand {
  /// The parameters of a crowd. Times are those of the monotonic clock, which all processes share.
  struct Plan {
    /// `nil` for a listener in the crowd's own process: then only the machine is loaded, not the daemon.
    var address: SocketAddress?
    var count = 2_000
    var connectsAt: UInt64 = 0
    var disconnectsAt: UInt64 = 0

    var arguments: [String] {
      ["crowd", address.map { "\($0)" } ?? "-", "\(count)", "\(connectsAt)", "\(disconnectsAt)"]
    }

    init() {}

    init?(_ arguments: [String]) {
      guard arguments.count == 4, let count = Int(arguments[1]), let comes = UInt64(arguments[2]),
        let leaves = UInt64(arguments[3])
      else { return nil }
      address = try? SocketAddress(parsing: arguments[0])
      (self.count, connectsAt, disconnectsAt) = (count, comes, leaves)
    }
  }

  static let marker = "crowd connects to "
  private static let tables = 64

  static func run(_ arguments: ArraySlice<String>) -> Never {
    guard let plan = Plan(Array(arguments)) else {
      Console.refuse("baize-load crowd", "needs an address or '-', a number, and two times")
    }
    do {
      Affinity.lowerPriority()
      DescriptorLimit.raise()
      // Three of four send a hello, as spectators of otherwise empty tables; the fourth sends nothing.
      let crowd = try Crowd(count: plan.count) { number in
        guard number % 4 != 3, plan.address != nil else { return nil }
        return Hello(
          table: "crowd-\(number % tables)", tableType: "list?items=10", name: "crowd", role: .spectator)
      }
      let loop = crowd.connections.loop
      let own = plan.address == nil ? try loop.listen(on: .loopback(port: 0)) : nil
      let address = plan.address ?? own.flatMap(loop.address) ?? .loopback(port: 0)
      Console.print("\(marker)\(address)")
      try loop.run(crowd, until: plan.connectsAt)
      try crowd.connect(to: address)
      try loop.run(crowd, until: plan.disconnectsAt)
      let last = crowd.counts.lastWelcomeAt
      Console.print("\(crowd.counts.welcomes) \(last > plan.connectsAt ? last - plan.connectsAt : 0)")
      // The system closes all connections.
      Console.end(.success)
    } catch {
      Console.refuse("baize-load crowd", "\(error)")
    }
  }
}
