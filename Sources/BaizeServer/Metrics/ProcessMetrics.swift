import BaizeSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The system's figures for this process, under the names that Prometheus' own libraries use.
struct ProcessMetrics: Hashable, Sendable {
  var processorSeconds = 0.0
  var residentBytes = 0
  var descriptors = 0
  var descriptorsMax = 0
  var startSeconds = 0

  /// The present values; zero where the system does not say.
  static var current: ProcessMetrics {
    var metrics = ProcessMetrics()
    var usage = rusage()
    // `RUSAGE_SELF` is of another type on each platform; it is 0 on all.
    getrusage(.init(0), &usage)
    metrics.processorSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    let status = text("/proc/self/statm")?.split(separator: " ") ?? []
    metrics.residentBytes = (status.count > 1 ? Int(status[1]) ?? 0 : 0) * Int(getpagesize())
    metrics.descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    metrics.descriptorsMax = Int(clamping: sysconf(Int32(_SC_OPEN_MAX)))
    metrics.startSeconds = start
    return metrics
  }

  /// About the start of the process: when it was first asked for.
  private static let start = Int(Date.now.timeIntervalSince1970)

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
