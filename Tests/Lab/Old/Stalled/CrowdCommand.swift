import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire

/// `baize-lab crowd`: the process of a crowd that connects at once and leaves at once, started by `baize-lab stalled`.
enum CrowdCommand {
  static let marker = "crowd connects to "
  private static let tables = 64

  /// - Parameter arguments: The daemon's address, or `-` for a listener in the crowd's own process, so that only the machine
  ///   is loaded; the number of connections; and the times to connect and to leave, on the monotonic clock.
  static func run(_ arguments: ArraySlice<String>) -> Never {
    let words = Array(arguments)
    guard words.count == 4, let count = Int(words[1]), let connectsAt = UInt64(words[2]),
      let leavesAt = UInt64(words[3])
    else { Console.refuse("baize-lab crowd", "needs an address or '-', a number, and two times") }
    do {
      Affinity.lowerPriority()
      DescriptorLimit.raise()
      let daemon = try words[0] == "-" ? nil : SocketAddress(parsing: words[0])
      // Three of four send a hello, as spectators of otherwise empty tables; the fourth sends nothing.
      let crowd = try Crowd(count: count) { number in
        guard number % 4 != 3, daemon != nil else { return nil }
        return Hello(
          table: "crowd-\(number % tables)", tableType: "list?items=10", name: "crowd", role: .spectator)
      }
      let loop = crowd.connections.loop
      let listener = try daemon == nil ? loop.listen(on: .loopback(port: 0)) : nil
      let address = daemon ?? listener.flatMap(loop.address) ?? .loopback(port: 0)
      Console.print("\(marker)\(address)")
      try loop.run(crowd, until: connectsAt)
      try crowd.connect(to: address)
      try loop.run(crowd, until: leavesAt)
      Console.print("\(crowd.counts.welcomes) \(max(connectsAt, crowd.counts.lastWelcomeAt) - connectsAt)")
      // The system closes all connections.
      Console.end(.success)
    } catch {
      Console.refuse("baize-lab crowd", "\(error)")
    }
  }
}
