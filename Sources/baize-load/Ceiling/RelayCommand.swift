import BaizeCommandLine
import BaizeTransport
import Foundation

/// `baize-load relay FILE`: the relay's process, started by `baize-load ceiling`.
enum RelayCommand {
  static func run(_ arguments: ArraySlice<String>) -> Never {
    do {
      guard let file = arguments.first,
        let recording = Recording(bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))))
      else { Console.refuse("baize-load relay", "needs a file of recorded frames") }
      let relay = try Relay(recording)
      let listener = try relay.loop.listen(on: .loopback(port: 0))
      if let address = relay.loop.address(of: listener) { Console.print("relay listening on \(address)") }
      try relay.loop.run(relay)
      Console.end(.success)
    } catch {
      Console.refuse("baize-load relay", "\(error)")
    }
  }
}
