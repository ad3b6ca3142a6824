package import BaizeSync

/// A journal that keeps nothing.
package final class DiscardingJournal: JournalStore {
  package init() {}

  package func commit(_ writes: [JournalWrite]) {}
  package func probe() {}
  package func tableCount() -> Int { 0 }
  package func search() -> TableSearch { { _ in false } }
  package func table(named name: String) -> StoredTable? { nil }
}
