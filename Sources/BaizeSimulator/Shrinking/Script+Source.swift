import BaizeSync
import BaizeTable

extension Script {
  /// The script as Swift: a test that fails as the script does.
  public var source: String {
    """
    let script = Script(
      plan: \(plan.source),
      steps: [
    \(steps.map { "    \($0.source)," }.joined(separator: "\n"))
      ])
    #expect(script.failure() == nil)
    """
  }
}

extension Plan {
  fileprivate var source: String {
    var parts = ["seed: \(seed)", "tables: \(tables)", "clients: [\(clients.map(\.source).joined(separator: ", "))]"]
    if durability != .strict { parts.append("durability: .\(durability.rawValue)") }
    if !limits.isEmpty { parts.append("limits: [\(limits.map(\.source).joined(separator: ", "))]") }
    if let sabotage { parts.append("sabotage: .\(sabotage.rawValue)") }
    return "Plan(\n    \(parts.joined(separator: ",\n    ")))"
  }
}

extension Plan.Participant {
  fileprivate var source: String {
    switch self {
    case .player(let table): ".player(\(table))"
    case .spectator(let table): ".spectator(\(table))"
    }
  }
}

extension Plan.Limit {
  fileprivate var source: String {
    switch self {
    case .pendingOperations(let count): ".pendingOperations(\(count))"
    case .operationRate(let perSecond, let burst): ".operationRate(\(perSecond), burst: \(burst))"
    case .outbox(let bytes): ".outbox(bytes: \(bytes))"
    case .snapshotParts(let items): ".snapshotParts(items: \(items))"
    case .grace(let seconds): ".grace(seconds: \(seconds))"
    case .unload(let seconds): ".unload(seconds: \(seconds))"
    case .journalSnapshots(let bytes): ".journalSnapshots(bytes: \(bytes))"
    case .log(let bytes): ".log(bytes: \(bytes))"
    case .setUp(let items): ".setUp(itemsAtOnce: \(items))"
    }
  }
}

extension Step {
  var source: String {
    switch self {
    case .start(let number): ".start(\(number))"
    case .act(let number, let deed): ".act(\(number), \(deed.source))"
    case .ask(let number): ".ask(\(number))"
    case .leave(let number): ".leave(\(number))"
    case .connect(let number): ".connect(\(number))"
    case .refuse(let number): ".refuse(\(number))"
    case .up(let number): ".up(\(number))"
    case .down(let number): ".down(\(number))"
    case .cut(let number, let arriving): arriving == 0 ? ".cut(\(number))" : ".cut(\(number), arriving: \(arriving))"
    case .notice: ".notice"
    case .turn: ".turn"
    case .commit(let count): ".commit(\(count))"
    case .load: ".load"
    case .make: ".make"
    case .pass(let milliseconds): ".pass(milliseconds: \(milliseconds))"
    case .crash: ".crash"
    case .restart: ".restart"
    case .fill: ".fill"
    case .free: ".free"
    case .impostor(let number, let pretence): ".impostor(\(number), .\(pretence))"
    }
  }
}

extension Deed {
  fileprivate var source: String {
    switch self {
    case .move(let spots, let gap): ".move(\(Self.source(spots)), to: \(gap.source))"
    case .copy(let spots, let gap): ".copy(\(Self.source(spots)), to: \(gap.source))"
    case .insert(let count, let gap): ".insert(\(count), to: \(gap.source))"
    case .remove(let spots): ".remove(\(Self.source(spots)))"
    case .update(let spot, let note): ".update(\(spot.source), note: \(note))"
    case .perform(let action, let spots): ".perform(\"\(action)\", \(Self.source(spots)))"
    case .undo(let back): ".undo(\(back))"
    case .host(let action): ".host(\(action.source))"
    case .nonsense(let nonsense, let spot, let gap): ".nonsense(.\(nonsense), \(spot.source), to: \(gap.source))"
    case .insist(let deed): ".insist(\(deed.source))"
    }
  }

  private static func source(_ spots: [Spot]) -> String { "[\(spots.map(\.source).joined(separator: ", "))]" }
}

extension HostAction {
  fileprivate var source: String {
    switch self {
    case .freeze(let collection): ".freeze(CollectionHandle(rawValue: \(collection.rawValue)))"
    case .thaw(let collection): ".thaw(CollectionHandle(rawValue: \(collection.rawValue)))"
    case .kick(let seat): ".kick(SeatNumber(rawValue: \(seat.rawValue)))"
    case .give(let seat, let session):
      ".give(SeatNumber(rawValue: \(seat.rawValue)), to: SessionID(rawValue: \(session.rawValue)))"
    case .invitePlayers: ".invitePlayers"
    case .inviteSpectators: ".inviteSpectators"
    }
  }
}

extension Spot {
  fileprivate var source: String { "Spot(\(collection), \(offset))" }
}

extension Gap {
  fileprivate var source: String { before.map { "Gap(\(collection), before: \($0))" } ?? "Gap(\(collection))" }
}
