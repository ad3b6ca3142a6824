package import Foundation

/// A program that was run to its end, with what it said.
///
/// What it reads and says is in files: the end of a pipe is kept open by any other program that was started at the same moment, for as
/// long as that one runs.
package struct EndedProcess {
  /// Its exit code, or the number of the signal that ended it.
  package let code: Int32
  /// What it said on its standard output, and on that for errors.
  package let output: String

  /// Runs a program, and waits for its end.
  ///
  /// - Parameters:
  ///   - words: The path of the program, and its arguments.
  ///   - input: What it reads; nothing unless given.
  /// - Throws: What Foundation throws if it cannot be started.
  package init(_ words: [String], input: Data = Data()) throws {
    let folder = try TemporaryFolder()
    let (read, said) = (folder.url.appendingPathComponent("input"), folder.url.appendingPathComponent("output"))
    try input.write(to: read)
    try Data().write(to: said)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    process.standardInput = try FileHandle(forReadingFrom: read)
    let file = try FileHandle(forWritingTo: said)
    (process.standardOutput, process.standardError) = (file, file)
    try process.run()
    process.waitUntilExit()
    code = process.terminationStatus
    output = String(decoding: try Data(contentsOf: said), as: UTF8.self)
  }
}
