import BaizeCommandLine
import BaizeJournal
import BaizeSync
import BaizeSystem
import BaizeTransport

/// A daemon that runs, as commands find it by its operator's address.
struct RunningDaemon {
  private let address: SocketAddress
  private let token: String

  static let options = [
    CommandOption(
      "--admin", "HOST:PORT", "The operator's address of a running daemon, in place of FILE: its journal is used.",
      standard: "none"),
    CommandOption(
      "--admin-token-file", "FILE", "The file of the operator's token.",
      standard: "the token is the value of \(AdminOptions.variable)"),
  ]

  /// Finds the daemon that is named on a command line; `nil` without one.
  init?(_ arguments: CommandLineArguments) throws {
    guard let address = try AdminOptions.address(arguments) else { return nil }
    self.address = address
    token = try AdminOptions.token(arguments, createsFile: false)
  }

  /// Returns the path of its journal.
  func journal() throws(RunningDaemonError) -> String {
    let path = try ask("GET", "/journal")
    return String(path.prefix { $0 != "\n" })
  }

  /// Deletes a table. A table's name needs no encoding in a path.
  func delete(_ table: String) throws(RunningDaemonError) {
    _ = try ask("POST", "/tables/\(table)/delete")
  }

  /// Moves a table to the present document of its type.
  ///
  /// - Returns: A description of what was done.
  /// - Throws: An error whose description has a line for each reason why it does not fit.
  func migrate(_ table: String, endsSessions: Bool) throws(RunningDaemonError) -> String {
    var answer = (status: "", body: "")
    // A table that is not in memory is loaded first.
    for _ in 0..<Self.attemptsMax {
      answer = try exchange("POST", "/tables/\(table)/migrate\(endsSessions ? "?sessions=end" : "")")
      guard answer.status == "503" else { break }
      usleep(Self.attemptMicroseconds)
    }
    switch answer.status {
    case "204": return "moved"
    case "200": return "has the present document"
    case _: throw RunningDaemonError(answer.body)
    }
  }

  private static let attemptsMax = 100
  private static let attemptMicroseconds: UInt32 = 100_000

  /// Returns the body of the answer to a request.
  private func ask(_ method: String, _ path: String) throws(RunningDaemonError) -> String {
    let (status, body) = try exchange(method, path)
    guard status.hasPrefix("2") else {
      throw RunningDaemonError("the daemon at \(address) refuses: \(body.prefix { $0 != "\n" })")
    }
    return body
  }

  private func exchange(
    _ method: String, _ path: String
  ) throws(RunningDaemonError) -> (status: String, body: String) {
    let head = [
      "\(method) \(path) HTTP/1.1", "Host: \(address)", "Authorization: Bearer \(token)", "Connection: close", "", "",
    ].joined(separator: "\r\n")
    let bytes: [UInt8]
    do {
      bytes = try BlockingExchange.run(
        Array(head.utf8), with: address, bytesMax: Self.answerBytesMax, seconds: Self.secondsMax)
    } catch {
      throw RunningDaemonError("no daemon answers at \(address): \(error)")
    }
    let answer = String(decoding: bytes, as: UTF8.self)
    let end = Array("\r\n\r\n".utf8)
    guard let range = bytes.firstRange(of: end), let status = answer.split(separator: " ").dropFirst().first else {
      throw RunningDaemonError("what answers at \(address) is not the operator's address of a daemon")
    }
    return (String(status), String(decoding: bytes[range.upperBound...], as: UTF8.self))
  }

  private static let answerBytesMax = 1 << 16
  private static let secondsMax = 30
}

/// The reason why a running daemon does not do what a command asks for, as one line.
struct RunningDaemonError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Command {
  /// Returns the journal that a command line names, by a file or by a running daemon, and the operands behind it. Ends the
  /// program with one line if it names none.
  ///
  /// - Parameters:
  ///   - parsed: The command line.
  ///   - counts: The possible numbers of operands besides the journal.
  ///   - expected: The operands, for the error message.
  func journal(
    _ parsed: CommandLineArguments, with counts: ClosedRange<Int>, expected: String
  ) -> (file: String, operands: [String], daemon: RunningDaemon?) {
    do {
      let daemon = try RunningDaemon(parsed)
      let count = parsed.operands.count - (daemon == nil ? 1 : 0)
      guard counts.contains(count) else { Console.refuse(name, "expected \(expected) (see \(name) --help)") }
      guard let daemon else { return (parsed.operands[0], Array(parsed.operands.dropFirst()), nil) }
      return (try daemon.journal(), parsed.operands, daemon)
    } catch {
      Console.refuse(name, "\(error)")
    }
  }

  /// Ends the program with one line unless a journal has all of some tables. Creates no file if it is missing.
  func checkTables(_ tables: [String], in file: String) throws(JournalError) {
    let names = Set(try JournalLocation(file).openForReading().names())
    if let missing = tables.first(where: { !names.contains($0) }) {
      Console.refuse(name, "there is no table '\(missing)' in '\(file)'")
    }
  }

  /// Ends the program with one line because of a journal that it cannot use, read or write.
  func end(_ error: JournalError) -> Never {
    guard error.kind != .unusable else { Console.refuse(name, "\(error)") }
    Console.printError("\(name): \(error)")
    Console.end(.failure)
  }
}

extension Command.Section {
  /// The options of commands that use the journal of a running daemon.
  static let running = Command.Section("A running daemon", RunningDaemon.options)
}
