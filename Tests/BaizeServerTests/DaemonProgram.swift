import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire
import Foundation
import Testing

/// What a program left when it ended.
struct Ended: Equatable {
  var code: Int32
  var output: String
  var errors: String
}

extension ChildProcess {
  /// A daemon, not yet listening.
  static func baized(
    _ arguments: [String], in folder: TemporaryFolder? = nil, marker: String? = nil,
    environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    // Not the service manager of this process.
    let environment = ["NOTIFY_SOCKET": nil].merging(environment) { $1 }
    return try ChildProcess("baized", arguments, marker: marker, in: folder, environment: environment)
  }

  /// A daemon that listens at a free port.
  static func listening(
    _ arguments: [String] = [], in folder: TemporaryFolder? = nil, at address: String = "127.0.0.1:0",
    logLevel: String = "error", environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    try baized(
      HangGuard.daemonFlags(besides: arguments) + ["--listen", address, "--log-level", logLevel] + arguments,
      in: folder, marker: daemonMarker, environment: environment)
  }

  /// Runs a command of `baized` to its end.
  static func run(
    _ arguments: [String], in folder: TemporaryFolder? = nil, environment: [String: String?] = [:]
  ) throws -> Ended {
    try baized(arguments, in: folder, environment: environment).end()
  }

  /// A daemon that a script of the shell starts, with these words of it before its path.
  static func listening(by script: String, _ arguments: [String], in folder: TemporaryFolder) throws -> ChildProcess {
    let command = script.replacing("BAIZED", with: "'\(path(of: "baized"))' \"$@\"")
    return try ChildProcess(
      "sh", ["-c", command, "sh", "--listen", "127.0.0.1:0"] + arguments, marker: daemonMarker, in: folder,
      programs: "/bin")
  }

  /// The flags of commands that find it by its operator's address.
  func adminFlags() throws -> [String] {
    let url = try #require(rest(ofLine: "baized serves the operator at http://"))
    return ["--admin", String(url.dropLast()), "--admin-token-file", "token"]
  }

  /// Waits for its end.
  func end() -> Ended { Ended(code: waitForExit(), output: output, errors: errors) }

  /// Waits for the end of a daemon that was stopped, and checks that it printed only its address.
  func expectCleanEnd() {
    #expect(end() == Ended(code: 0, output: "\(Self.daemonMarker)\(address)\n", errors: ""))
  }

  /// Waits for a text on its standard error.
  func waitForErrors(_ words: String) throws {
    try waitUntil(for: "'\(words)' in \(errors)", step: { usleep(5_000) }) { errors.contains(words) }
  }
}

/// Returns the reason for which a daemon refuses a hello; `nil` if it sends no goodbye.
func refusal(of hello: Hello, at address: SocketAddress) throws -> GoodbyeReason? {
  let client = try BlockingClient(address)
  client.send(.hello(hello))
  return try client.goodbye()?.reason
}
