import BaizeTable

/// What happened at a table, line by line, and how often.
struct DemoFeed {
  struct Entry {
    let kind: Kind
    /// `nil` where the table did not change.
    let revision: UInt64?
    let who: String
    var text: String
  }

  enum Kind {
    case accepted
    case refused
    /// Comings and goings, and how it ended.
    case note
  }

  private(set) var entries: [Entry] = []
  private(set) var contended = 0
  /// How many entries fell off the front.
  private var dropped = 0
  /// Where the entry of each of the last revisions stands.
  private var places: [UInt64: Int] = [:]
  /// The authors' own words for diffs that have not come yet.
  private var words: [UInt64: String] = [:]

  private static let entriesMax = 4_096

  /// How many entries there have been.
  var count: Int { dropped + entries.count }

  /// Those from a number on that are still there.
  func entries(from number: Int) -> ArraySlice<Entry> { entries.dropFirst(max(0, number - dropped)) }

  mutating func note(_ text: String, who: String = "", revision: UInt64? = nil) {
    append(Entry(kind: .note, revision: revision, who: who, text: text))
  }

  mutating func accepted(_ text: String, who: String, revision: UInt64) {
    places[revision] = count
    append(Entry(kind: .accepted, revision: revision, who: who, text: words.removeValue(forKey: revision) ?? text))
  }

  /// An author's own words for what it did: they say where something came from, which a diff does not.
  mutating func describe(_ revision: UInt64, _ text: String) {
    if let place = places[revision] {
      if place >= dropped { entries[place - dropped].text = text }
    } else {
      words[revision] = text
    }
  }

  mutating func refused(_ asked: String, _ refusal: Refusal, who: String) {
    if refusal.reason == .contended { contended += 1 }
    let why = refusal.reason.rawValue + (refusal.detail.isEmpty ? "" : ": \(refusal.detail)")
    append(Entry(kind: .refused, revision: nil, who: who, text: "\(asked) ✗ \(why)"))
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    if entries.count > 2 * Self.entriesMax {
      entries.removeFirst(Self.entriesMax)
      dropped += Self.entriesMax
      places = places.filter { $0.value >= dropped }
      words = [:]
    }
  }
}
