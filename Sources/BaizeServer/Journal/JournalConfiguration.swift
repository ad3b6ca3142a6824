/// Where a daemon keeps its tables.
public enum JournalConfiguration: Hashable, Sendable {
  /// Nowhere: they are gone when it ends.
  case none
  /// In this process, for tests of what a journal does.
  case memory
  /// In a file, which is made if there is none. A second daemon cannot use it at the same time.
  case file(String)
}
