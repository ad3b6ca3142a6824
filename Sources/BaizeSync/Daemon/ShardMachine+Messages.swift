import BaizeTable
import BaizeWire

/// What each message means, by where its connection is.
extension ShardMachine {
  func place(of id: ConnectionID) -> ConnectionState.Place? {
    guard Int(id.slot) < connections.count, let connection = connections[Int(id.slot)], connection.id == id else {
      return nil
    }
    return connection.place
  }

  mutating func receive(
    _ message: ClientMessage, _ id: ConnectionID, _ place: ConnectionState.Place, at now: Instant
  ) {
    switch place {
    case .leaving, .waiting: break
    case .door:
      guard case .hello(let hello) = message else {
        dismiss(id, Goodbye(.expectedHello, detail: "the first message is a hello"), at: now)
        return
      }
      greet(hello, id, at: now)
    case .table(let table, let member):
      touch(table)
      tables[table].heard(from: member)
      receive(message, id, table, member, at: now)
    }
  }

  mutating func touch(_ table: Int) {
    guard !tables[table].isTouched else { return }
    tables[table].isTouched = true
    touched.append(table)
  }

  private mutating func receive(
    _ message: ClientMessage, _ id: ConnectionID, _ table: Int, _ member: Int, at now: Instant
  ) {
    let batch = queue.open
    switch message {
    case .operation(let operation):
      do throws(TableMachine.Violation) {
        try tables[table].submit(operation, from: member, storage: storage, random: &random, at: now, into: batch)
        if !tables[table].farewells.isEmpty { sayFarewells(of: table, at: now) }
      } catch {
        switch error {
        case .sequenceGap(let expected, let got):
          let detail = "operation \(got.rawValue) came where \(expected.rawValue) was due"
          dismiss(id, Goodbye(.sequenceGap, detail: detail), at: now)
        }
      }
    case .drag(let drag): tables[table].drag(drag, from: member, at: now, into: batch)
    case .ping(let ping): tables[table].pong(ping, to: member, into: batch)
    case .snapshotRequest: tables[table].requestSnapshot(member, into: batch)
    case .goodbye(let goodbye):
      if !goodbye.isResumable {
        connections[Int(id.slot)]?.place = .leaving
        tables[table].depart(member, at: now, into: batch)
        renumber(member, of: table)
      }
      dismiss(id, Goodbye(.leaving), at: now)
    case .hello: dismiss(id, Goodbye(.malformed, detail: "a hello is said once"), at: now)
    case .unknown: break
    }
  }
}
