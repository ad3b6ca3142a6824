import Foundation

/// The memory of a process on this machine, from Linux' `/proc`.
struct ProcessMemory {
  let process: Int32

  /// What of it is resident now, in bytes (`VmRSS`); `nil` where there is no such process, or no `/proc`.
  var residentBytes: Int? {
    (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)).flatMap(Self.residentBytes)
  }

  /// - Parameter status: The text of `/proc/PID/status`, which counts in units of 1,024 bytes.
  static func residentBytes(inStatus status: String) -> Int? {
    for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
    return nil
  }
}
