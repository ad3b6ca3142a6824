#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory that this process may use: the machine's, or the limit of its control group or of one around it if that is less.
enum MachineMemory {
  /// The share that the clients' memory may take by default, in percent: the rest is for the program itself and for what the
  /// allocator keeps.
  static let sharePercent = 75
  /// The limit if the system does not say what it has.
  private static let unknownBytes = 4 << 30

  /// The default of `--memory-max`.
  static var standardBytes: Int { (bytes() ?? unknownBytes) / 100 * sharePercent }

  /// Returns the memory in bytes; `nil` if the system does not say.
  ///
  /// - Parameter root: The root of the file system, for tests.
  static func bytes(root: String = "") -> Int? {
    let limits = groupLimits(root: root) + [machineBytes(root: root)].compactMap(\.self)
    return limits.min()
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  private static func machineBytes(root: String) -> Int? {
    let line = text("\(root)/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  /// Returns the limits of the process's control groups, of version 2 or 1, and of all groups around them.
  ///
  /// A container mostly shows its own group as the root, whatever the path in `/proc/self/cgroup` says, so that folders which
  /// are not there are passed over.
  private static func groupLimits(root: String) -> [Int] {
    (text("\(root)/proc/self/cgroup") ?? "").split(separator: "\n").flatMap { line -> [Int] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      if fields[0] == "0", fields[1].isEmpty {
        return limits(above: String(fields[2]), in: "\(root)/sys/fs/cgroup", "memory.max")
      }
      guard fields[1].split(separator: ",").contains("memory") else { return [] }
      return limits(above: String(fields[2]), in: "\(root)/sys/fs/cgroup/memory", "memory.limit_in_bytes")
    }
  }

  private static func limits(above path: String, in root: String, _ file: String) -> [Int] {
    var names = path.split(separator: "/")
    var limits: [Int] = []
    while true {
      let folder = ([root] + names.map(String.init)).joined(separator: "/")
      // "max", or a number too large for an Int, is no limit.
      if let limit = text("\(folder)/\(file)").flatMap({ Int($0.split(separator: "\n").first ?? "") }), limit > 0 {
        limits.append(limit)
      }
      guard names.popLast() != nil else { return limits }
    }
  }
}
