import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One player of a run with clients that come back.
struct ReconnectPlayer {
  let table: Int
  var machine: ClientMachine
  var play: MarkedPlay
  var stream = StreamCheck()
  var connection: ConnectionKey?
  /// What it said last when it came.
  var hello: Hello?
  var session: SessionID?
  /// Before this moment it does not act again.
  var restsUntil: UInt64 = 0
  /// What the daemon and the own copy make of the view in the end.
  var daemonHash: UInt64?
  var ownHash: UInt64?
  var endRevision = Revision.zero

  var pendingCount: Int { machine.replica?.pending.count ?? 0 }
}

/// How often clients came back, and how.
struct ReconnectCounts {
  var reconnects = 0
  /// With only what they missed, and with a whole snapshot.
  var byDiffs = 0
  var bySnapshot = 0
  /// The daemon knew their session no longer.
  var anew = 0
  var retries = 0
}
