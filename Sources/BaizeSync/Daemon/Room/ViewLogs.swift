import BaizeTable

/// The last records that each view of a table was sent, at a table whose views differ from what the journal records.
///
/// A client catches up from the log of its view. How far that reaches depends only on what the view received: neither on
/// faces hidden from it, nor on private moves, nor on answers to others.
struct ViewLogs: Sendable {
  /// By seat; the first is the spectators', and that of all if all see the same. `nil` for a seat that was never taken.
  private var logs: [RecordLog?]

  /// Creates the spectators' log.
  init(at revision: Revision, views: TableType.Views, seatsMax: Int) {
    logs = Array(repeating: nil, count: views == .differ ? seatsMax + 1 : 1)
    logs[0] = RecordLog(at: revision)
  }

  /// The seats whose views have a log, ``SeatNumber/spectator`` included.
  var seats: [SeatNumber] { logs.indices.filter { logs[$0] != nil }.map { SeatNumber(rawValue: UInt32($0)) } }

  /// The memory of all logs, in bytes.
  var memoryBytes: Int { logs.reduce(0) { $0 + ($1?.memoryBytes ?? 0) } }

  /// The log of a seat's view; `nil` if there is none.
  subscript(seat: SeatNumber) -> RecordLog? { logs[index(of: seat)] }

  /// Lends the log of a seat's view, if there is one.
  mutating func withLog(of seat: SeatNumber, _ body: (inout RecordLog) -> Void) {
    // Moved out and back: a copy would make the next change copy all records.
    guard var log = logs[index(of: seat)].take() else { return }
    body(&log)
    logs[index(of: seat)] = log
  }

  /// Lends all logs, one after the other.
  mutating func forEach(_ body: (inout RecordLog) -> Void) {
    for seat in seats { withLog(of: seat, body) }
  }

  /// Begins the log of a seat's view, unless there is one.
  mutating func open(_ seat: SeatNumber, at revision: Revision) {
    let index = index(of: seat)
    if logs[index] == nil { logs[index] = RecordLog(at: revision) }
  }

  /// Begins the log of a seat's view anew for another holder: how far it reaches must not depend on what the last one received.
  /// Positions in the old log are in front of the new one.
  mutating func restart(_ seat: SeatNumber, at revision: Revision) {
    guard seat != .spectator, logs.count > 1 else { return }
    let index = Int(seat.rawValue)
    logs[index] = RecordLog(at: revision, from: logs[index]?.end ?? 0)
  }

  private func index(of seat: SeatNumber) -> Int { logs.count == 1 ? 0 : Int(seat.rawValue) }
}
