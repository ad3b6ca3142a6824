package import BaizeSync

/// A journal that keeps nothing.
package final class DiscardingJournal: JournalStore {
  package init() {}

  package func append(_ writes: [JournalWrite]) {}
  package func commit() {}
  package func discard() {}
  package func probe() {}
  package func table(named name: String) -> StoredTable? { nil }
}
