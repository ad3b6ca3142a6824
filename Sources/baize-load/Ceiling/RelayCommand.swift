import BaizeCommandLine
import BaizeTransport

/// `baize-load relay`: the relay's process, started by `baize-load ceiling`.
enum RelayCommand {
  static func run() -> Never {
    do {
      let relay = try Relay()
      let listener = try relay.loop.listen(on: .loopback(port: 0))
      if let address = relay.loop.address(of: listener) { Console.print("relay listening on \(address)") }
      try relay.loop.run(relay)
      Console.end(.success)
    } catch {
      Console.refuse("baize-load relay", "\(error)")
    }
  }
}
