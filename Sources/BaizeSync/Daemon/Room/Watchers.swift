import BaizeTable
import BaizeWire

/// Who watches a table. The room counts them at a sweep, and only if a spectator has come or gone since the last one: however many come
/// and go, a member receives at most one message per sweep.
struct Watchers {
  /// Those at the last sweep.
  private(set) var shown = Watching()
  /// The number of changes at sweeps.
  private(set) var version: UInt32 = 0
  /// Whether some live member may have to be told.
  var hasUnsent = false
  /// Whether spectators have come or gone since the last sweep.
  private var isOutdated = false

  /// Notes that a member has come or gone.
  mutating func note(_ member: Member) { if member.seat == .spectator { isOutdated = true } }

  /// Counts those who watch, each person once.
  ///
  /// - Returns: Whether members have to be told.
  /// - Complexity: O(number of members) if spectators have come or gone, else O(1).
  mutating func sweep(_ members: [Member], _ sessions: Sessions) -> Bool {
    guard isOutdated else { return false }
    isOutdated = false
    var (people, asking): (Set<SessionID>, [SessionID]) = ([], [])
    for member in members where member.seat == .spectator {
      let session = sessions[member.session]
      people.insert(session.person)
      if member.asksForSeat { asking.append(session.id) }
    }
    asking.sort()
    let now = Watching(
      count: UInt32(clamping: people.count), asking: Array(asking.prefix(TableLimits.askingSessionsMax)))
    guard now != shown else { return false }
    shown = now
    version += 1
    hasUnsent = !members.isEmpty
    return hasUnsent
  }

  /// Whether a member has to be told.
  func isUntold(_ member: Member) -> Bool {
    member.watchersVersion != version && (member.watchersVersion > 0 || shown != Watching())
  }
}
