import BaizeSystem

/// The number of threads that can run at the same time.
public enum ProcessorCount {
  /// The number of processors online; at least 1.
  public static var online: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
