import BaizeWire

/// How connections are let go, and what that does to the places of others.
extension ShardMachine {
  mutating func dismiss(_ id: ConnectionID, _ goodbye: Goodbye, at now: Instant) {
    guard let place = place(of: id) else { return }
    switch place {
    case .table(let table, let member):
      connections[Int(id.slot)]?.place = .leaving
      detach(member, from: table, at: now)
    case .waiting: stopWaiting(id, place)
    case .door, .leaving: break
    }
    connections[Int(id.slot)]?.place = .leaving
    queue.open.dismiss(id, goodbye)
  }

  /// Lets go of connections that the table has let go of.
  mutating func sayFarewells(of table: Int, at now: Instant) {
    let farewells = tables[table].farewells
    tables[table].farewells.removeAll()
    for farewell in farewells { connections[Int(farewell.connection.slot)]?.place = .leaving }
    renumberAll(of: table)
    for farewell in farewells { dismiss(farewell.connection, farewell.goodbye, at: now) }
  }

  mutating func detach(_ member: Int, from table: Int, at now: Instant) {
    touch(table)
    tables[table].leave(member, at: now, into: queue.open)
    renumber(member, of: table)
  }

  /// The last member has taken the place of one that left.
  mutating func renumber(_ member: Int, of table: Int) {
    guard member < tables[table].members.count else { return }
    setPlace(.table(table, member: member), of: tables[table].members[member].connection)
  }

  mutating func renumberAll(of table: Int) {
    for (member, entry) in tables[table].members.enumerated() {
      setPlace(.table(table, member: member), of: entry.connection)
    }
  }

  mutating func setPlace(_ place: ConnectionState.Place, of id: ConnectionID) {
    precondition(
      connections[Int(id.slot)]?.id == id, "slot \(id.slot) was taken from generation \(id.generation) behind its back")
    connections[Int(id.slot)]?.place = place
  }
}
