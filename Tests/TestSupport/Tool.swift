import Foundation
public import Testing

/// A program that is not part of the package, and that some tests run where it is installed with all that they use of it.
///
/// `Tests/long/tools.sh` reads this file: it hides each path, and runs the tests that need a tool.
public struct Tool: Sendable {
  /// The program's path.
  public let path: String
  /// Debian's package of it, and of what else it needs.
  private let package: String
  /// Whether it is there and works: found out once.
  public let isAvailable: Bool

  /// - Parameter trial: The arguments of a call that succeeds only if all that the tests use is there.
  private init(_ path: String, package: String, trial: [String]) {
    self.path = path
    self.package = package
    isAvailable = Self.succeeds(path, trial)
  }

  public static let bash = Tool("/bin/bash", package: "bash", trial: ["-c", "true"])
  public static let fish = Tool("/usr/bin/fish", package: "fish", trial: ["-c", "true"])
  public static let zsh = Tool("/usr/bin/zsh", package: "zsh", trial: ["-c", "true"])
  public static let node = Tool(
    "/usr/bin/node", package: "nodejs",
    trial: ["--input-type=module", "--eval", "import 'node:crypto'; globalThis.x ??= 1n"])
  public static let promtool = Tool("/usr/bin/promtool", package: "prometheus", trial: ["--version"])
  public static let protoc = Tool("/usr/bin/protoc", package: "protobuf-compiler", trial: ["--version"])
  /// Python with the module for Protocol Buffers, which reads what `protoc` writes.
  public static let pythonWithProtobuf = Tool(
    "/usr/bin/python3", package: "python3 and python3-protobuf",
    trial: ["-c", "from google.protobuf import descriptor_pb2, message; from google.protobuf.internal import builder"])

  public static let openssl = Tool("/usr/bin/openssl", package: "openssl", trial: ["version"])
  /// Python with the package that back ends sign tokens with.
  public static let pythonWithCryptography = Tool(
    "/usr/bin/python3", package: "python3 and python3-cryptography",
    trial: ["-c", "from cryptography.hazmat.primitives.asymmetric import ed25519"])

  private static func succeeds(_ path: String, _ arguments: [String]) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: path) else { return false }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// Runs the program, without what it says, to its end.
  public func run(_ arguments: String...) throws { try run(arguments) }

  /// Runs the program, without what it says, to its end.
  public func run(_ arguments: [String]) throws {
    try #require(Self.succeeds(path, arguments), "\(path) \(arguments.joined(separator: " "))")
  }

  /// The sentence that a skipped test shows.
  fileprivate static func reason(without tools: [Tool]) -> Comment {
    "needs \(tools.filter { !$0.isAvailable }.map(\.package).joined(separator: ", "))"
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test unless all of these tools are there with all that is used of them.
  public static func needs(_ tools: Tool...) -> Self {
    .enabled(if: tools.allSatisfy(\.isAvailable), Tool.reason(without: tools))
  }
}
