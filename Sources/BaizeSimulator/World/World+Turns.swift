import BaizeSync
import BaizeTable
import BaizeWire

/// The daemon's turns: what they write, when it is durable, and what leaves then.
extension World {
  func endTurn() throws {
    let turn = host.endTurn()
    if let turn {
      for write in turn.writes {
        narrate(write)
        try ledgers[place(of: write)].note(write, self)
      }
      for place in ledgers.indices { ledgers[place].end(turn.number) }
    }
    try release()
    try checkDaemon()
  }

  private func place(of write: JournalWrite) throws -> Int {
    let name =
      switch write {
      case .table(let definition): definition.name
      case .record(let record): record.table
      case .snapshot(let part): part.table
      }
    guard let place = plan.tables.indices.first(where: { Plan.name(ofTable: $0) == name }) else {
      throw Broken("I7", "the journal gets a table \(name), which nobody knows")
    }
    return place
  }

  func commit(_ count: Int) throws {
    guard !host.turns.isEmpty, count > 0 else { return }
    guard let numbers = host.commit(count) else { return try failStorage() }
    self.count(.commits)
    for number in numbers {
      for place in ledgers.indices { ledgers[place].commit(number) }
      host.committed(number)
      try release()
    }
    // Under relaxed durability this is how the disk was tried again.
    guard host.isStorageFailed else { return }
    self.count(.storageRecoveries)
    host.recoverStorage(at: now)
    try release()
  }

  private func failStorage() throws {
    count(.storageFailures)
    if plan.durability == .strict {
      for place in ledgers.indices { ledgers[place].void(isCrash: false) }
    }
    host.failStorage(at: now)
    try release()
  }

  func load() throws {
    guard host.canLoad else { return }
    var (name, restored) = try host.load(at: now)
    count(.loads)
    guard let place = plan.tables.indices.first(where: { Plan.name(ofTable: $0) == name }) else { return }
    try check(&restored, ledgers[place])
    try release()
  }

  func make() throws {
    guard host.canMake else { return }
    let name = host.make(at: now)
    count(.setUps)
    if host.shard.state(ofTable: name) == nil { count(.setUpsInVain) }
    try release()
  }

  /// I7: what comes back is what was durable, and all that anyone has seen.
  private func check(_ restored: inout RestoredTable?, _ ledger: Ledger) throws {
    guard let book = ledger.durable else {
      if restored != nil { throw Broken("I7", "the journal has a table that was never durable") }
      return
    }
    guard restored != nil else { throw Broken("I7", "table \(ledger.place) is gone") }
    guard restored?.state.revision == book.revision, restored?.epoch == book.epoch,
      restored?.viewHash() == ledger.hash(at: book.revision, epoch: book.epoch)
    else { throw Broken("I7", "table \(ledger.place) comes back otherwise than it was at \(book.revision.rawValue)") }
    if let broken = restored?.state.brokenInvariant() { throw Broken("I4", "a table that comes back: \(broken)") }
    guard book.revision >= ledger.shown || plan.durability != .strict else {
      throw Broken("I7", "revision \(ledger.shown.rawValue) was seen, and \(book.revision.rawValue) comes back")
    }
  }

  /// The machine's tables are what it has written.
  func checkDaemon(isSampled: Bool = true) throws {
    for ledger in ledgers {
      guard let head = ledger.head, !isSampled || head.record % 4 == 0,
        var state = host.shard.state(ofTable: Plan.name(ofTable: ledger.place))
      else { continue }
      guard state.revision == head.revision, state.viewHash() == ledger.hash(at: head.revision, epoch: head.epoch)
      else { throw Broken("I5", "table \(ledger.place) is not what the daemon wrote of it") }
    }
  }

  // MARK: The process

  func crash() throws {
    count(.crashes)
    if !host.turns.isEmpty { count(.turnsLost) }
    if host.canMake { count(.setUpsLost) }
    stopProcess()
  }

  /// Everyone is told, everything is committed, and the frames go out before the connections end.
  func restart() throws {
    guard !isDiskFull else { return try crash() }
    count(.restarts)
    host.shutDown(at: now)
    try endTurn()
    while !host.turns.isEmpty { try commit(.max) }
    stopProcess()
  }

  private func stopProcess() {
    for place in ledgers.indices { ledgers[place].void(isCrash: true) }
    for client in clients { client.link?.down.append(.end) }
    host.crash(plan.hostOptions(starts: host.starts + 1))
    unnoticed.removeAll()
    occupants.removeAll()
  }
}
