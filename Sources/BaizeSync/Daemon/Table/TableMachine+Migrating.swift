import BaizeTable
import BaizeWire

/// Moving a table that is in memory to the present document of its type.
extension TableMachine {
  /// Moves the table (rules M1 to M6). It continues under the next epoch; its members are dismissed, and get the document when
  /// they resume.
  ///
  /// - Returns: Whether it has moved; false if it has the present document, or there is none.
  /// - Throws: All reasons why it does not fit. Nothing has changed then.
  /// - Complexity: O(n log n) for n items.
  mutating func migrate(
    to types: any TableTypeSource, endsSessions: Bool, random: inout RandomSource, at now: Instant,
    into batch: FrameBatch
  ) throws(MigrationObstacles) -> Bool {
    var restored = RestoredTable(self, random: random.split())
    guard try restored.migrate(to: types, endsSessions: endsSessions) else { return false }
    for member in room.members.indices.reversed() {
      room.endPresence(of: room.members[member].session, in: table.state, &sessions, into: batch)
      departures.append((room.members[member].connection, Self.migrated))
      room.remove(member)
    }
    let next = Epoch(rawValue: epoch.rawValue + 1)
    var moved = TableMachine(
      restoring: restored, epoch: next, random: random.split(), limits: room.sharedLimits, at: now)
    moved.takeOver(self)
    self = moved
    return true
  }

  private static let migrated = Goodbye(.migrated, detail: "the table continues with another document of its type")

  /// Takes over what a table had besides its state: its journal, what this turn has recorded, and its charges.
  private mutating func takeOver(_ old: TableMachine) {
    var log = RecordLog(at: table.state.revision)
    old.room.log.open.withUnsafeBytes { log.append($0) }
    if old.journal != nil { room.log.open.withUnsafeBytes { log.append($0) } }
    room.log = log
    journal = old.journal
    journal?.hold()
    departures = old.departures
    table.contentBytesMax = old.table.contentBytesMax
    (touchedPosition, chargedBytes, sessionBytes) = (old.touchedPosition, old.chargedBytes, old.sessionBytes)
    (chargedType, chargedContentBytes, charges) = (old.chargedType, old.chargedContentBytes, old.charges)
  }
}

extension RestoredTable {
  /// Takes a table as it would be restored from its journal now.
  fileprivate init(_ machine: TableMachine, random: RandomSource) {
    let definition = machine.definition
    self.init(
      definition, epoch: machine.epoch, machine.table, invites: machine.invites,
      lastSession: machine.sessions.lastID, migration: machine.migration,
      types: PresentReader(type: machine.table.state.type), random: random)
    for session in machine.sessions.snapshot where !session.isForgotten {
      sessions[session.id] = RestoredSession(stored: session.stored, outcomes: session.answers.outcomes)
    }
  }

  /// Reads the one document that a table in memory has.
  private struct PresentReader: TableTypeReader {
    let type: TableType

    func tableType(document: String, options: [Attribute]) -> TableType { type }
  }
}
