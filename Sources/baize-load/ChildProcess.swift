import BaizeTransport
import Foundation

/// A program of ours that runs beside the harness and says on its first line where it listens.
final class ChildProcess {
  let address: SocketAddress
  private let process = Process()

  /// - Parameters:
  ///   - program: The name of a program that lies beside this one.
  ///   - marker: What its first line says before the address.
  init(_ program: String, _ arguments: [String], marker: String) throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let executable = folder.appendingPathComponent(program)
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw LoadSession.Failure(description: "\(executable.path) is not there: build it first")
    }
    let output = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first, value != 10 {
      line.append(value)
    }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix(marker), let found = try? SocketAddress(parsing: String(text.dropFirst(marker.count))) else {
      process.terminate()
      throw LoadSession.Failure(description: "\(program) did not start: \(text)")
    }
    address = found
  }

  var times: ProcessTimes { ProcessTimes(process: process.processIdentifier) }

  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  deinit { stop() }
}
