import Foundation

/// What a process on this machine uses, from Linux' `/proc`; `nil` elsewhere.
struct ProcessTimes {
  let process: Int32

  /// The process that listens on a TCP port of this machine: who holds the listening socket's inode.
  static func listening(onPort port: UInt16) -> ProcessTimes? {
    let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeningInodes(onPort: port, table: $0) }
    guard !inodes.isEmpty else { return nil }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = Int32(name) else { continue }
      let folder = "/proc/\(process)/fd"
      for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
        if let target, inodes.contains(where: { target == "socket:[\($0)]" }) { return ProcessTimes(process: process) }
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

  /// How many descriptors it holds open.
  var descriptorCount: Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// User and system time so far, in seconds.
  var processorSeconds: Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      // The command's name stands in brackets and may hold spaces.
      let bracket = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[bracket...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
