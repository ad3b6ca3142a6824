import BaizeTable

/// The log of a table: what happened, line by line.
struct DemoFeed {
  struct Entry {
    let kind: Kind
    /// The revision that the table reached; `nil` if it did not change.
    let revision: UInt64?
    let who: String
    var text: String
  }

  enum Kind {
    case accepted
    case refused
    /// Connections, and the end of the game.
    case note
  }

  private(set) var entries: [Entry] = []
  private(set) var contended = 0
  /// The number of entries removed from the front.
  private var dropped = 0
  /// The entry number of each recent revision.
  private var numbers: [UInt64: Int] = [:]
  /// The authors' descriptions of diffs that have not arrived yet.
  private var descriptions: [UInt64: String] = [:]

  private static let entriesMax = 4_096

  /// The number of entries so far, including removed ones.
  var count: Int { dropped + entries.count }

  /// Returns the entries from a number on, as far as they are kept.
  func entries(from number: Int) -> ArraySlice<Entry> { entries.dropFirst(max(0, number - dropped)) }

  mutating func note(_ text: String, who: String = "", revision: UInt64? = nil) {
    append(Entry(kind: .note, revision: revision, who: who, text: text))
  }

  mutating func accepted(_ text: String, who: String, revision: UInt64) {
    numbers[revision] = count
    append(
      Entry(kind: .accepted, revision: revision, who: who, text: descriptions.removeValue(forKey: revision) ?? text))
  }

  /// Replaces a diff's text by its author's description, which also says where items came from.
  mutating func describe(_ revision: UInt64, _ text: String) {
    if let number = numbers[revision] {
      if number >= dropped { entries[number - dropped].text = text }
    } else {
      descriptions[revision] = text
    }
  }

  mutating func refused(_ operation: String, _ refusal: Refusal, who: String) {
    if refusal.reason == .contended { contended += 1 }
    let reason = refusal.reason.rawValue + (refusal.detail.isEmpty ? "" : ": \(refusal.detail)")
    append(Entry(kind: .refused, revision: nil, who: who, text: "\(operation) ✗ \(reason)"))
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > 2 * Self.entriesMax {
      entries.removeFirst(Self.entriesMax)
      dropped += Self.entriesMax
      numbers = numbers.filter { $0.value >= dropped }
      descriptions = [:]
    }
  }
}
