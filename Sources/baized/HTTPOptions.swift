import BaizeCommandLine
import BaizeServer
import BaizeTable
import BaizeTransport

/// The flags of the HTTP address.
enum HTTPOptions {
  private static let standard = "127.0.0.1:\(HTTPLimits.port)"
  private static let off = "off"

  static let all = [
    CommandOption(
      "--http", "HOST:PORT",
      "The address for browsers: the page, baize.js and WebSocket at /ws. '\(off)' for none; port 0 takes any free port.",
      standard: "\(standard), or none if that is taken"),
    CommandOption(
      "--allow-host", "NAMES",
      "Further names, separated by commas, that requests may come to: those of a proxy in front of the daemon. Without it, "
        + "the address of --http and the names of this machine.", standard: "none"),
    CommandOption(
      "--allow-origin", "ORIGINS",
      "Other sites, separated by commas, whose pages may connect, such as https://example.org.", standard: "none"),
  ]

  static func read(_ arguments: CommandLineArguments) throws -> HTTPConfiguration? {
    let text = arguments.text("--http")
    let (hosts, origins) = (hosts(arguments), list(arguments.text("--allow-origin")))
    if text == off {
      // The names count at the operator's address as well.
      let useless = arguments.text("--admin") == nil ? ["--allow-host", "--allow-origin"] : ["--allow-origin"]
      for flag in useless where arguments.text(flag) != nil {
        throw CommandLineError.exclusive(flag, "--http \(off)")
      }
      return nil
    }
    for origin in origins where !origin.hasPrefix("https://") && !origin.hasPrefix("http://") {
      throw arguments.mistake(in: "--allow-origin", needed: "https://HOST or http://HOST")
    }
    do {
      let address = try SocketAddress(parsing: text ?? standard)
      return HTTPConfiguration(address: address, isOptional: text == nil, hosts: hosts, origins: origins)
    } catch {
      throw arguments.mistake(in: "--http", needed: "HOST:PORT or \(off) (\(error))")
    }
  }

  /// Returns the further names that requests may come to.
  static func hosts(_ arguments: CommandLineArguments) -> [String] { list(arguments.text("--allow-host")) }

  private static func list(_ text: String?) -> [String] { text?.split(separator: ",").map(String.init) ?? [] }
}
