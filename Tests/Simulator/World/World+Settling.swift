import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The end of a world: faults end, everything in flight arrives, and then all copies must agree.
extension World {
  func settle() throws {
    host.journal.failure = nil
    isSettling = true
    reportBacklogs()
    // Each round is longer than every timeout and backoff.
    for round in 0..<400 {
      try drain()
      guard isRestless else {
        returnKicked()
        try drain()
        return try settlePresence()
      }
      let milliseconds: UInt64 = round % 10 == 9 ? 1_000 : 5
      try carryOut(.pass(milliseconds: milliseconds))
    }
  }

  /// Lets the daemon sweep, so that slow members, and those beyond a rate, receive the presence that they lack.
  private func settlePresence() throws {
    guard clients.contains(where: { !$0.value.isEmpty || !$0.machine.presence.isEmpty }) else { return }
    for _ in 0..<4 {
      try carryOut(.pass(milliseconds: 1_001))
      try drain()
    }
  }

  /// Whether anyone waits for a deadline.
  private var isRestless: Bool { host.isStorageFailed || clients.contains(where: \.waits) }

  /// Carries out everything that needs no time.
  private func drain() throws {
    for _ in 0..<10_000 {
      guard try drainOnce() else { return }
    }
    throw InvariantViolation("I1", "the world does not settle")
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
    while !abandoned.isEmpty { try carryOut(.arrive) }
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

  // MARK: Invariants with nothing in flight

  func checkRest() throws {
    try checkDaemon(isSampled: false)
    for model in models {
      try hold("I4", at: "the daemon", fault: model.durable?.table.state.brokenInvariant())
      try checkJournal(model)
    }
    for client in clients { try client.checkRest() }
    try checkAnswers()
  }

  /// I7: the table restored from the journal equals everyone's copy.
  private func checkJournal(_ model: JournalModel) throws {
    let stored = host.journal.table(named: SimulationPlan.name(ofTable: model.tableIndex))
    guard let history = model.durable, let stored else {
      return try hold(
        stored == nil && model.durable == nil, "I7", "table \(model.tableIndex) differs from its model")
    }
    var restored = try RestoredTable(stored, types: SimulatedTypes())
    try hold(
      restored.record == history.record
        && restored.viewHash() == model.hash(at: history.revision, epoch: history.epoch), "I7",
      "the journal of table \(model.tableIndex) does not lead to its state")
  }

  /// I3: every operation has the effect of its answer, and at most one.
  private func checkAnswers() throws {
    let effective = models.flatMap { model in
      (model.durable?.effects ?? [:]).compactMap { key, effect in
        names[Name(table: model.tableIndex, epoch: effect.epoch, operation: key)]
      }
    }
    operations.compare(withEffectsOf: effective, mayLose: mayHaveLost)
    try operations.faults.expectNone(at: "the journal")
  }
}
