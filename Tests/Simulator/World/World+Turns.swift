import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The daemon's turns: their writes, their commits, and the frames released then.
extension World {
  func endTurn() throws {
    let turn = host.endTurn()
    if let turn {
      for write in turn.writes {
        trace(write)
        try models[index(of: write)].note(write, self)
      }
      for index in models.indices { models[index].end(turn.number) }
    }
    try release()
    try checkDaemon()
  }

  private func index(of write: JournalWrite) throws -> Int {
    let name = try require(write.tableName, "I7", "the journal received a write of no table")
    return try require(
      plan.tables.indices.first { SimulationPlan.name(ofTable: $0) == name }, "I7",
      "the journal received a table \(name), which is unknown")
  }

  func commit(_ count: Int) throws {
    guard !host.turns.isEmpty, count > 0 else { return }
    guard let numbers = host.commit(count) else { return try failStorage() }
    self.count(.commits)
    for number in numbers {
      for index in models.indices { models[index].commit(number) }
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
      for index in models.indices { models[index].void(isCrash: false) }
    }
    host.failStorage(at: now)
    try release()
  }

  func load() throws {
    guard host.canLoad else { return }
    var (name, restored) = try host.load(at: now)
    count(.loads)
    guard let index = plan.tables.indices.first(where: { SimulationPlan.name(ofTable: $0) == name }) else { return }
    try check(&restored, models[index])
    try release()
  }

  func make() throws {
    guard host.canMake else { return }
    let name = host.make(at: now)
    count(.setUps)
    if host.shard.state(ofTable: name) == nil { count(.setUpsDiscarded) }
    try release()
  }

  /// I7: a loaded table equals the durable one, and includes everything that a client has received.
  private func check(_ restored: inout RestoredTable?, _ model: JournalModel) throws {
    guard let history = model.durable else {
      return try hold(restored == nil, "I7", "the journal has a table that was never durable")
    }
    try hold(restored != nil, "I7", "table \(model.tableIndex) is missing")
    try hold(
      restored?.state.revision == history.revision && restored?.epoch == history.epoch
        && restored?.viewHash() == model.hash(at: history.revision, epoch: history.epoch), "I7",
      "table \(model.tableIndex) was restored differently from revision \(history.revision.rawValue)")
    try hold("I4", at: "a restored table", fault: restored?.state.brokenInvariant())
    try hold(
      history.revision >= model.shown || plan.durability != .strict, "I7",
      "revision \(model.shown.rawValue) was seen, and \(history.revision.rawValue) was restored")
  }

  /// I5: the machine's tables equal those in its writes.
  func checkDaemon(isSampled: Bool = true) throws {
    for model in models {
      guard let head = model.head, !isSampled || head.record % 4 == 0,
        var state = host.shard.state(ofTable: SimulationPlan.name(ofTable: model.tableIndex))
      else { continue }
      try hold(
        state.revision == head.revision && state.viewHash() == model.hash(at: head.revision, epoch: head.epoch), "I5",
        "table \(model.tableIndex) differs from the daemon's writes")
    }
  }

  // MARK: The process

  func crash() throws {
    count(.crashes)
    if !host.turns.isEmpty { count(.turnsLost) }
    if host.canMake { count(.setUpsLost) }
    stopProcess()
  }

  /// Stops the daemon: goodbyes are sent and everything is committed before the connections end.
  func restart() throws {
    guard !isDiskFull else { return try crash() }
    count(.restarts)
    host.shutDown(at: now)
    try endTurn()
    while !host.turns.isEmpty { try commit(.max) }
    stopProcess()
  }

  private func stopProcess() {
    for index in models.indices {
      models[index].void(isCrash: true)
      // A crash may lose what was not durable, and was sent; or an epoch that could not be written.
      if plan.durability == .strict {
        histories[index].loseEpochs(after: models[index].durable?.epoch ?? Epoch(rawValue: 0))
      } else {
        histories[index] = HistoryLedger()
      }
    }
    for client in clients { client.link?.down.append(.end) }
    host.crash(plan.hostOptions(starts: host.starts + 1))
    unnoticed.removeAll()
    occupants.removeAll()
  }
}
