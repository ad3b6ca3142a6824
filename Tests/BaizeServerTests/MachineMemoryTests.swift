import BaizeLaboratory
import BaizeSync
import Foundation
import Testing

@testable import BaizeServer

/// The default of `--memory-max`: what the machine has, or the tightest of the control groups around the process.
@Suite struct MachineMemoryTests {
  /// - Parameter files: Their texts, by their paths below a root.
  private func bytes(_ files: [String: String]) throws -> Int? {
    let folder = try TemporaryFolder()
    for (path, text) in files {
      let url = folder.url.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    return MachineMemory.bytes(root: folder.url.path)
  }

  private static let machine = ["proc/meminfo": "MemTotal:       8388608 kB\nMemFree:  1 kB\n"]

  @Test func `without a group it is the machine's`() throws {
    #expect(try bytes(Self.machine) == 8 << 30)
    #expect(try bytes([:]) == nil)
  }

  @Test func `the tightest limit counts of the groups of version 2 that are nested`() throws {
    var files = Self.machine
    files["proc/self/cgroup"] = "0::/outer/inner\n"
    files["sys/fs/cgroup/outer/inner/memory.max"] = "max\n"
    #expect(try bytes(files) == 8 << 30)
    files["sys/fs/cgroup/outer/memory.max"] = "536870912\n"
    #expect(try bytes(files) == 512 << 20)
    files["sys/fs/cgroup/outer/inner/memory.max"] = "1073741824\n"
    #expect(try bytes(files) == 512 << 20)
    files["sys/fs/cgroup/memory.max"] = "268435456\n"
    #expect(try bytes(files) == 256 << 20)
  }

  @Test func `a group of version 1 counts, and one that is not shown inside a container is passed over`() throws {
    var files = Self.machine
    files["proc/self/cgroup"] = "12:cpu,cpuacct:/x\n7:memory:/docker/a1b2\n0::/\n"
    files["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n"
    #expect(try bytes(files) == 8 << 30)
    files["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "1073741824\n"
    #expect(try bytes(files) == 1 << 30)
    files["sys/fs/cgroup/memory/docker/a1b2/memory.limit_in_bytes"] = "2097152\n"
    #expect(try bytes(files) == 2 << 20)
  }

  @Test func `the default of the limit is three quarters of it`() throws {
    let bytes = try #require(MachineMemory.bytes())
    #expect(abs(MachineMemory.standardBytes - bytes * 3 / 4) < 100)
  }

  @Test func `tables that are being loaded are charged until they are decoded`() {
    let account = MemoryAccount(bytesMax: 100 << 20, shards: 1, log: Log(.info) { _ in })
    account.chargeLoading(80 << 20)
    #expect(account.present == (80 << 20, .refusing))
    #expect(account.charge(shard: 0, 10 << 20).mark == .shedding)
    account.chargeLoading(-80 << 20)
    #expect(account.present == (10 << 20, .normal))
  }

  @Test func `what no shard charges is shown with the rest`() {
    let account = MemoryAccount(bytesMax: 100 << 20, shards: 1, log: Log(.info) { _ in })
    #expect(account.chargeHTTP(70 << 20) == .normal && account.charge(shard: 0, 20 << 20).mark == .shedding)
    account.chargeLoading(1 << 20)
    #expect(account.useBesidesShards == MemoryUse(loading: 1 << 20, http: 70 << 20))
    #expect(account.useBesidesShards.total == 71 << 20 && account.present.bytes == 91 << 20)
    var metrics = ServerMetrics(statistics: ServerStatistics(), memoryBytesMax: 100 << 20)
    metrics.statistics.memory += account.useBesidesShards
    let lines = metrics.text.split(separator: "\n")
    #expect(lines.contains("baize_memory_bytes{holder=\"http\"} \(70 << 20)"))
    #expect(lines.contains("baize_memory_bytes{holder=\"loading\"} \(1 << 20)"))
  }

  @Test func `the account sums the shards, and logs each change of the mark once`() {
    let lines = LogLines()
    let account = MemoryAccount(bytesMax: 100 << 20, shards: 2, log: Log(.info) { lines.append($0) })
    #expect(account.charge(shard: 0, 40 << 20) == (.normal, 0))
    #expect(account.charge(shard: 1, 36 << 20).mark == .refusing)
    #expect(account.charge(shard: 1, 37 << 20).mark == .refusing)
    let (mark, excess) = account.charge(shard: 1, 60 << 20)
    #expect(mark == .disconnecting && (4 << 20..<6 << 20).contains(excess), "its share of what is above 92 %")
    #expect(account.charge(shard: 1, 34 << 20).mark == .refusing, "it ends below 72 %")
    #expect(account.charge(shard: 1, 31 << 20).mark == .normal)
    #expect(account.present.bytes == 71 << 20)
    #expect(lines.all.count == 4 && lines.all.allSatisfy { $0.contains("memory: ") }, "\(lines.all)")
  }
}

/// The lines of a daemon's log.
final class LogLines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  func append(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { lock.withLock { lines } }
}
