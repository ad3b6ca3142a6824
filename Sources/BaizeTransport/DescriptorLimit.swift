#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// How many descriptors the process may hold, and so how many connections.
public enum DescriptorLimit {
  /// Raises the soft limit to the hard one, as far as the system lets us.
  ///
  /// - Returns: the limit that holds afterwards. Less than hoped for is no error: the daemon runs with what it has.
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    guard read(&limit) else { return 0 }
    let wished = wishedLimit(hard: limit.rlim_max)
    if wished > limit.rlim_cur {
      var raised = limit
      raised.rlim_cur = wished
      if write(&raised) { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The limit that holds now.
  public static var current: Int {
    var limit = rlimit()
    return read(&limit) ? Int(clamping: limit.rlim_cur) : 0
  }

  #if canImport(Darwin)
    /// Darwin refuses more than `OPEN_MAX`, even where it names no hard limit.
    private static func wishedLimit(hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    private static func read(_ limit: inout rlimit) -> Bool { getrlimit(RLIMIT_NOFILE, &limit) == 0 }
    private static func write(_ limit: inout rlimit) -> Bool { setrlimit(RLIMIT_NOFILE, &limit) == 0 }
  #else
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    private static func wishedLimit(hard: rlim_t) -> rlim_t { hard }
    private static func read(_ limit: inout rlimit) -> Bool { getrlimit(resource, &limit) == 0 }
    private static func write(_ limit: inout rlimit) -> Bool { setrlimit(resource, &limit) == 0 }
  #endif
}
