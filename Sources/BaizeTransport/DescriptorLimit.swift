import BaizeSystem

/// The limit of the process's descriptors, and so of its connections.
public enum DescriptorLimit {
  /// Raises the soft limit to the hard one, as far as the system allows.
  ///
  /// - Returns: The new limit. A lower one than expected is no error.
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    guard read(&limit) else { return 0 }
    let wanted = wantedLimit(hard: limit.rlim_max)
    if wanted > limit.rlim_cur {
      var raised = limit
      raised.rlim_cur = wanted
      if write(&raised) { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  public static var current: Int {
    var limit = rlimit()
    return read(&limit) ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Grows the kernel's table of the process's descriptors to `count`, as far as the limit allows.
  ///
  /// Linux doubles that table when it is full. Where threads share it, the call that caused this waits until no
  /// processor can still see the old one: milliseconds within an `accept`. At the start of the process this wait delays
  /// nobody. The table never shrinks; it takes eight bytes of kernel memory per descriptor.
  public static func makeRoom(for count: Int) {
    let last = min(count, current) - 1
    guard last > 0, let some = try? Waker() else { return }
    let descriptor = fcntl(some.readingEnd, F_DUPFD_CLOEXEC, Int32(clamping: last))
    if descriptor >= 0 { SystemCall.closeDescriptor(descriptor) }
  }

  #if canImport(Darwin)
    /// Returns the limit to ask for. Darwin refuses more than `OPEN_MAX`, even where it names no hard limit.
    private static func wantedLimit(hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    private static func read(_ limit: inout rlimit) -> Bool { getrlimit(RLIMIT_NOFILE, &limit) == 0 }
    private static func write(_ limit: inout rlimit) -> Bool { setrlimit(RLIMIT_NOFILE, &limit) == 0 }
  #else
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    private static func wantedLimit(hard: rlim_t) -> rlim_t { hard }
    private static func read(_ limit: inout rlimit) -> Bool { getrlimit(resource, &limit) == 0 }
    private static func write(_ limit: inout rlimit) -> Bool { setrlimit(resource, &limit) == 0 }
  #endif
}
