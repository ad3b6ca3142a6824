/// The storage of a daemon's tables.
public enum JournalConfiguration: Hashable, Sendable {
  /// No storage: the tables are lost when the daemon ends.
  case none
  /// A journal in this process's memory, for tests.
  case memory
  /// A journal in the file at a path, which is created if it does not exist. A second daemon cannot use it at the same
  /// time.
  case file(String)
  /// A journal in the PostgreSQL database that libpq's environment names, in a build with the trait `PostgreSQL`. A daemon that is
  /// started later takes it over, and the former one ends.
  case postgres
}
