import BaizeTable
import BaizeWire

@testable import BaizeSync

extension ServerMessage {
  var welcome: Welcome? { if case .welcome(let welcome) = self { welcome } else { nil } }
  var part: SnapshotPart? { if case .snapshot(let part) = self { part } else { nil } }
  var diff: Diff? { if case .diff(let diff) = self { diff } else { nil } }
  var outcome: Outcome? { if case .outcome(let outcome) = self { outcome } else { nil } }
  var drag: Drag? { if case .drag(let drag) = self { drag } else { nil } }
  var pong: Pong? { if case .pong(let pong) = self { pong } else { nil } }
  var seats: [Seat]? { if case .seats(let seats) = self { seats } else { nil } }
  var presence: Presence? { if case .presence(let presence) = self { presence } else { nil } }
  var chat: Chat? { if case .chat(let chat) = self { chat } else { nil } }
  var countdown: Countdown? { if case .countdown(let countdown) = self { countdown } else { nil } }
  var goodbye: Goodbye? { if case .goodbye(let goodbye) = self { goodbye } else { nil } }

  /// The message's name, for tests of order.
  var kind: String {
    switch self {
    case .welcome: "welcome"
    case .snapshot: "snapshot"
    case .diff: "diff"
    case .outcome: "outcome"
    case .drag: "drag"
    case .pong: "pong"
    case .seats: "seats"
    case .goodbye: "goodbye"
    case .presence: "presence"
    case .chat: "chat"
    case .countdown: "countdown"
    case .tokenTime: "token time"
    case .watching: "watching"
    case .unknown: "unknown"
    }
  }
}

extension [ServerMessage] {
  var kinds: [String] { map(\.kind) }
  var parts: [SnapshotPart] { compactMap(\.part) }
  var diffs: [Diff] { compactMap(\.diff) }
  var revisions: [UInt64] { diffs.map(\.revision.rawValue) }
  var outcomes: [Outcome] { compactMap(\.outcome) }
  var drags: [Drag] { compactMap(\.drag) }
  var pongs: [Pong] { compactMap(\.pong) }
  var seats: [[Seat]] { compactMap(\.seats) }
  var values: [[UInt8]] { compactMap(\.presence?.value) }
  var chats: [Chat] { compactMap(\.chat) }
  var watching: [Watching] { compactMap { if case .watching(let watching) = $0 { watching } else { nil } } }
  var countdowns: [Countdown] { compactMap(\.countdown) }
  var goodbye: Goodbye? { compactMap(\.goodbye).last }
}

extension ClientMessage {
  var operation: TableOperation? { if case .operation(let operation) = self { operation } else { nil } }
}

extension Answer {
  var reason: Reason? { if case .refused(let refusal) = self { refusal.reason } else { nil } }
  var diff: Diff? { if case .accepted(let diff) = self { diff } else { nil } }
  var invite: String? { if case .invited(let text) = self { text } else { nil } }
}

extension Prediction {
  var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension JournalEntry {
  var diff: Diff? { if case .diff(let diff) = self { diff } else { nil } }
}

extension JournalWrite {
  var record: JournalRecord? { if case .record(let record) = self { record } else { nil } }
  var part: JournalSnapshotPart? { if case .snapshot(let part) = self { part } else { nil } }
  var definition: TableDefinition? { if case .table(let definition) = self { definition } else { nil } }
}

extension CollectionHandle {
  /// The first collection of a table; of a list, the only one.
  static let first = CollectionHandle(rawValue: 1)
}
