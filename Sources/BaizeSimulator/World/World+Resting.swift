import BaizeSync
import BaizeTable
import BaizeWire

/// The end of a world: nothing goes wrong any more, everything that is on its way arrives, and then everyone has to agree.
extension World {
  func settle() throws {
    host.journal.failure = nil
    isSettling = true
    reportBacklogs()
    // Each round is longer than the longest that anyone waits for a reason of its own.
    for round in 0..<400 {
      try drain()
      guard isRestless else {
        returnKicked()
        return try drain()
      }
      let milliseconds: UInt64 = round % 10 == 9 ? 1_000 : 5
      try carryOut(.pass(milliseconds: milliseconds))
    }
  }

  /// Whether anyone waits for something that only time brings.
  private var isRestless: Bool { host.isStorageFailed || clients.contains(where: \.waits) }

  /// Lets everything happen that needs no time.
  private func drain() throws {
    for _ in 0..<10_000 {
      guard try drainOnce() else { return }
    }
    throw Broken("I1", "the world does not come to rest")
  }

  private func drainOnce() throws -> Bool {
    var isBusy = false
    for client in clients {
      if client.wantsConnection {
        try carryOut(.connect(client.number))
        isBusy = true
      }
      while client.link?.up.isEmpty == false {
        try carryOut(.up(client.number))
        isBusy = true
      }
    }
    while !unnoticed.isEmpty { try carryOut(.notice) }
    if host.wantsTurn { try carryOut(.turn) }
    if !host.turns.isEmpty {
      try carryOut(.commit(.max))
      isBusy = true
    }
    while host.canLoad {
      try carryOut(.load)
      isBusy = true
    }
    while host.canMake {
      try carryOut(.make)
      isBusy = true
    }
    for client in clients {
      while client.link?.down.isEmpty == false {
        try carryOut(.down(client.number))
        isBusy = true
      }
    }
    return isBusy || host.shard.wantsTurn
  }

  // MARK: What must hold when nothing is in flight

  func checkRest() throws {
    try checkDaemon(isSampled: false)
    for ledger in ledgers {
      if let broken = ledger.durable?.table.state.brokenInvariant() { throw Broken("I4", "the daemon: \(broken)") }
      try checkJournal(ledger)
    }
    for client in clients { try client.checkRest() }
    try checkAnswers()
  }

  /// I7: what the journal holds now leads to what everyone sees.
  private func checkJournal(_ ledger: Ledger) throws {
    let stored = host.journal.table(named: Plan.name(ofTable: ledger.place))
    guard let book = ledger.durable, let stored else {
      if stored != nil || ledger.durable != nil {
        throw Broken("I7", "table \(ledger.place) is not where it should be")
      }
      return
    }
    var restored = try RestoredTable(stored, types: SimulatedTypes())
    guard restored.record == book.record, restored.viewHash() == ledger.hash(at: book.revision, epoch: book.epoch)
    else {
      throw Broken("I7", "the journal of table \(ledger.place) does not lead to its state")
    }
  }

  /// I3: every operation has the effect that its author was told of, and at most one.
  private func checkAnswers() throws {
    var effects = Array(repeating: 0, count: asked.count)
    for ledger in ledgers {
      guard let book = ledger.durable else { continue }
      for (key, effect) in book.effects {
        let name = Name(table: ledger.place, session: key.session, epoch: effect.epoch, sequence: key.sequence)
        if let operation = names[name] { effects[operation] += 1 }
      }
    }
    for (operation, count) in zip(asked, effects) { try check(operation, effects: count) }
  }

  private func check(_ operation: Asked, effects: Int) throws {
    let owner = clients[operation.client]
    guard effects <= 1 else { throw Broken("I3", "an operation of \(owner.name) had \(effects) effects") }
    switch operation.answer {
    case .accepted, .acceptedBefore:
      guard effects == 1 || mayHaveLost else {
        throw Broken("I3", "an accepted operation of \(owner.name) is lost")
      }
    case .unchanged, .invited, .refused:
      guard effects == 0 else {
        throw Broken("I3", "an operation of \(owner.name) that was not accepted had an effect")
      }
    case .unknown: break
    case nil: throw Broken("I3", "an operation of \(owner.name) was never answered")
    }
  }
}
