import Foundation

/// The memory of a process on this machine, from Linux' `/proc`; `nil` where there is no such process, or no `/proc`.
struct ProcessMemory {
  let process: Int32

  /// What of it is resident now, in bytes.
  var residentBytes: Int? { bytes(.resident) }

  /// The most that it has had resident, in bytes.
  var peakResidentBytes: Int? { bytes(.peakResident) }

  /// What `/proc/PID/status` counts.
  enum Field: String {
    case resident = "VmRSS"
    case peakResident = "VmHWM"
  }

  private func bytes(_ field: Field) -> Int? {
    (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)).flatMap {
      Self.bytes(field, inStatus: $0)
    }
  }

  /// - Parameter status: The text of `/proc/PID/status`, which counts in units of 1,024 bytes.
  static func bytes(_ field: Field, inStatus status: String) -> Int? {
    for line in status.split(separator: "\n") where line.hasPrefix(field.rawValue + ":") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
    return nil
  }
}
