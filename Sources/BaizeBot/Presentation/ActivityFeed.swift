package import BaizeTable

/// The events at a table, line by line.
package struct ActivityFeed {
  package struct Entry {
    package let kind: Kind
    /// `nil` where the table did not change.
    package let revision: UInt64?
    package let who: String
    package var text: String
  }

  package enum Kind {
    case accepted
    case refused
    /// Joins, departures, and the end.
    case note
  }

  package private(set) var entries: [Entry] = []
  package private(set) var contended = 0
  /// The number of entries that were dropped.
  private var dropped = 0
  /// The number of the entry of each of the last revisions.
  private var entryIndices: [UInt64: Int] = [:]
  /// The authors' descriptions of diffs that have not come yet.
  private var words: [UInt64: String] = [:]

  private static let entriesMax = 4_096

  package init() {}

  /// The number of entries so far.
  package var count: Int { dropped + entries.count }

  /// Returns the entries from a number on, without those that were dropped.
  package func entries(from number: Int) -> ArraySlice<Entry> { entries.dropFirst(max(0, number - dropped)) }

  package mutating func note(_ text: String, who: String = "", revision: UInt64? = nil) {
    append(Entry(kind: .note, revision: revision, who: who, text: text))
  }

  package mutating func accepted(_ text: String, who: String, revision: UInt64) {
    entryIndices[revision] = count
    append(Entry(kind: .accepted, revision: revision, who: who, text: words.removeValue(forKey: revision) ?? text))
  }

  /// Sets an author's description of its diff: it names the origin of items, which a diff does not.
  package mutating func describe(_ revision: UInt64, _ text: String) {
    if let index = entryIndices[revision] {
      if index >= dropped { entries[index - dropped].text = text }
    } else {
      words[revision] = text
    }
  }

  package mutating func refused(_ asked: String, _ refusal: Refusal, who: String) {
    if refusal.reason == .contended { contended += 1 }
    let why = refusal.reason.rawValue + (refusal.detail.isEmpty ? "" : ": \(refusal.detail)")
    append(Entry(kind: .refused, revision: nil, who: who, text: "\(asked) ✗ \(why)"))
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > 2 * Self.entriesMax {
      entries.removeFirst(Self.entriesMax)
      dropped += Self.entriesMax
      entryIndices = entryIndices.filter { $0.value >= dropped }
      words = [:]
    }
  }
}
