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

  /// Makes the kernel's table of the process's descriptors as large as so many need, as far as the limit allows.
  ///
  /// Linux doubles that table when a descriptor finds no place in it, and where threads share it, whoever made that
  /// descriptor waits until no processor can still see the old one: milliseconds, within one call of `accept`. Called at
  /// the beginning, this takes that wait once, and out of the way. The table is never made smaller. Costs eight bytes
  /// of the kernel's memory for each.
  public static func makeRoom(for count: Int) {
    let last = min(count, current) - 1
    guard last > 0, let some = try? Waker() else { return }
    let descriptor = fcntl(some.readingEnd, F_DUPFD_CLOEXEC, Int32(clamping: last))
    if descriptor >= 0 { SystemCall.closeDescriptor(descriptor) }
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
