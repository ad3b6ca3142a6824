import BaizeTable
import BaizeWire

/// The participants' own values of presence as a client knows them, and its own, which it sends at the rate at which the
/// daemon passes values on.
struct PresenceBoard: Sendable {
  /// The others' values, without empty ones.
  private(set) var others: [SessionID: [UInt8]] = [:]
  /// The persons of their sessions, of others than a person's first.
  private var persons: [SessionID: SessionID] = [:]
  private var value: [UInt8] = []
  /// The value that the daemon has; `nil` if that is not known.
  private var sent: [UInt8]? = []
  private var sentAt = Instant(nanoseconds: 0)

  // MARK: The client's own value

  mutating func set(_ value: [UInt8]) { self.value = value }

  /// Begins without a value, on a new connection.
  mutating func restart() { sent = [] }

  /// Forgets what was sent under another epoch. The daemon has kept it only if it arrived after the epoch had changed, so
  /// that even an empty value is sent again.
  mutating func enterEpoch() { if sent != [] { sent = nil } }

  /// Returns the value to send now, if there is one.
  mutating func due(at now: Instant) -> Presence? {
    guard value != sent, now >= deadline else { return nil }
    sent = value
    sentAt = now
    return Presence(value: value)
  }

  var nextDeadline: Instant? { value == sent ? nil : deadline }

  private var deadline: Instant { sentAt.advanced(byMilliseconds: ClientLimits.presenceMilliseconds) }

  // MARK: The others' values

  mutating func receive(_ presence: Presence) {
    guard !presence.value.isEmpty else { return others[presence.session] = nil }
    guard others[presence.session] != nil || others.count < ClientLimits.presenceMax else { return }
    others[presence.session] = presence.value
  }

  /// Drops the values of sessions that have no seat or no connection.
  ///
  /// - Returns: Those sessions, in order.
  mutating func receive(_ seats: [Seat]) -> [SessionID] {
    persons = [:]
    for seat in seats { for session in seat.otherSessions { persons[session] = seat.person } }
    let connected = Set(seats.lazy.flatMap(\.connectedSessions))
    return remove { !connected.contains($0) }
  }

  /// Drops the values of sessions whose seat was freed.
  ///
  /// - Parameter seats: The seats after a diff or in a snapshot, which do not say who is connected.
  /// - Returns: Those sessions, in order.
  mutating func keep(_ seats: [Seat]) -> [SessionID] {
    let held = Set(seats.lazy.map(\.person))
    let persons = persons
    return remove { !held.contains(persons[$0] ?? $0) }
  }

  /// Drops all values, as under another epoch or without a connection.
  ///
  /// - Returns: The sessions that had one, in order.
  mutating func removeAll() -> [SessionID] { remove { _ in true } }

  private mutating func remove(where isGone: (SessionID) -> Bool) -> [SessionID] {
    let gone = others.keys.filter(isGone).sorted()
    for session in gone { others[session] = nil }
    return gone
  }
}
