import BaizeSync
import BaizeTable
import BaizeWire

/// A wrong that is done once, to see that the checks see it.
public enum Sabotage: String, Hashable, Sendable, CaseIterable {
  /// A replica never gets one of the diffs.
  case dropDiff
  /// A replica is told of one move that it went elsewhere: what a wrong rebase there would come to.
  case misplaceMove
  /// The daemon takes one drop to be before another item than its author said: what a wrong rebase would come to.
  case shiftGap
  /// One answer without a diff is lost.
  case swallowAnswer
  /// One answer comes as another.
  case swapVerdict
  /// A replica hears one diff twice.
  case repeatDiff
}

extension World {
  func sabotaged(_ message: ClientMessage, _ link: Link) -> ClientMessage {
    guard plan.sabotage == .shiftGap, !isSabotaged, case .operation(var operation) = message,
      case .reorder(var difference, let suggested) = operation.kind,
      case .before(let anchor) = difference.destination.position, !anchor.isProvisional,
      !difference.sources.contains(anchor), let next = item(after: anchor, link),
      !difference.sources.contains(next)
    else { return message }
    difference.destination.position = .before(next)
    operation.kind = .reorder(difference, suggested: suggested)
    isSabotaged = true
    return .operation(operation)
  }

  private func item(after anchor: ItemID, _ link: Link) -> ItemID? {
    guard case .client(let number) = occupant(of: link.id) else { return nil }
    return ledgers[clients[number].table].head?.table.state.item(after: anchor)
  }

  func sabotaged(_ message: ServerMessage, to client: Client) -> ServerMessage? {
    guard let sabotage = plan.sabotage, !isSabotaged, client.machine.isLive else { return message }
    switch (sabotage, message) {
    case (.dropDiff, .diff):
      isSabotaged = true
      return nil
    case (.misplaceMove, .diff(var diff)):
      guard case .moved(let items, let destination)? = diff.changes.first, diff.changes.count == 1,
        destination.position != .end
      else { return message }
      diff.changes[0] = .moved(items, .end(of: destination.collection))
      isSabotaged = true
      return .diff(diff)
    case (.swallowAnswer, .outcome(let outcome)):
      guard outcome.verdict != .retry else { return message }
      isSabotaged = true
      return nil
    case (.swapVerdict, .outcome(var outcome)):
      guard outcome.verdict == .refused else { return message }
      outcome.verdict = .unchanged
      isSabotaged = true
      return .outcome(outcome)
    case (.repeatDiff, .diff):
      isSabotaged = true
      client.link?.down.insert(.message(message), at: 0)
      return message
    case (.dropDiff, _), (.misplaceMove, _), (.shiftGap, _), (.swallowAnswer, _), (.swapVerdict, _), (.repeatDiff, _):
      return message
    }
  }
}
