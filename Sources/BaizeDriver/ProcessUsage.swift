import Foundation

/// The memory and processor time of a process on this machine, read from Linux's `/proc`; every value is `nil`
/// where there is no such process or no `/proc`.
package struct ProcessUsage: Sendable {
  package let process: Int32

  package init(process: Int32) { self.process = process }

  /// Finds the process that listens on a TCP port of this machine: the one that holds the listening socket's inode.
  package static func listening(onPort port: UInt16) -> ProcessUsage? {
    let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeningInodes(onPort: port, table: $0) }
    guard !inodes.isEmpty else { return nil }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = Int32(name) else { continue }
      let folder = "/proc/\(process)/fd"
      for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
        if let target, inodes.contains(where: { target == "socket:[\($0)]" }) { return ProcessUsage(process: process) }
      }
    }
    return nil
  }

  private static func listeningInodes(onPort port: UInt16, table: String) -> [Substring] {
    guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { return [] }
    let ending = String(format: ":%04X", Int(port))
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[1].hasSuffix(ending), fields[3] == "0A" else { return nil }
      return fields[9]
    }
  }

  /// User and system time so far, in seconds.
  package var processorSeconds: Double? {
    // The command's name is in brackets and may contain spaces.
    guard let text = text("stat"), let bracket = text.lastIndex(of: ")") else { return nil }
    let fields = text[bracket...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The resident memory, in bytes.
  package var residentBytes: Int? { text("status").flatMap { Self.bytes("VmRSS", inStatus: $0) } }

  /// The memory that is the process's alone, in bytes: what it has allocated and touched.
  ///
  /// Pages of files, such as those of the program itself, are not in it. The system maps them in portions of its own choice, so
  /// that a difference of ``residentBytes`` says little of what a load has made the process hold.
  package var anonymousBytes: Int? { text("status").flatMap { Self.bytes("RssAnon", inStatus: $0) } }

  /// The largest resident memory so far, in bytes.
  package var peakResidentBytes: Int? { text("status").flatMap { Self.bytes("VmHWM", inStatus: $0) } }

  private func text(_ file: String) -> String? {
    try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)
  }

  /// Reads one field, in bytes.
  ///
  /// - Parameter status: The text of `/proc/PID/status`, which counts in units of 1,024 bytes.
  package static func bytes(_ field: String, inStatus status: String) -> Int? {
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }
}

extension ProcessUsage {
  /// ``anonymousBytes``.
  ///
  /// - Throws: ``RunFailure`` where the system does not report it.
  package var anonymous: Int {
    get throws {
      guard let anonymousBytes else {
        throw RunFailure("this system does not report the memory of a process (/proc/PID/status)")
      }
      return anonymousBytes
    }
  }
}
