import BaizeSync
import BaizeTable
import BaizeWire

/// A fault that is injected once into a frame, to prove that the checks find it.
public enum FrameFault: String, Hashable, Sendable, CaseIterable {
  /// Drops a diff on its way to a replica.
  case dropDiff
  /// Changes the destination of a move in a diff, like a wrong rebase in a replica.
  case misplaceMove
  /// Changes the anchor of a drop in an operation, like a wrong rebase in the daemon.
  case shiftGap
  /// Drops an outcome.
  case swallowAnswer
  /// Changes the verdict of an outcome.
  case swapVerdict
  /// Delivers a diff twice.
  case repeatDiff
}

extension World {
  func injectFault(_ message: ClientMessage, _ link: Link) -> ClientMessage {
    guard plan.frameFault == .shiftGap, !isFaultInjected, case .operation(var operation) = message,
      case .reorder(var difference, let suggested) = operation.kind,
      case .before(let anchor) = difference.destination.position, !anchor.isProvisional,
      !difference.sources.contains(anchor), let next = item(after: anchor, link),
      !difference.sources.contains(next)
    else { return message }
    difference.destination.position = .before(next)
    operation.kind = .reorder(difference, suggested: suggested)
    isFaultInjected = true
    return .operation(operation)
  }

  private func item(after anchor: ItemID, _ link: Link) -> ItemID? {
    guard case .client(let number, _) = occupant(of: link.id) else { return nil }
    return models[clients[number].table].head?.table.state.item(after: anchor)
  }

  func injectFault(_ message: ServerMessage, to client: Client) -> ServerMessage? {
    guard let frameFault = plan.frameFault, !isFaultInjected, client.machine.isLive else { return message }
    switch (frameFault, message) {
    case (.dropDiff, .diff):
      isFaultInjected = true
      return nil
    case (.misplaceMove, .diff(var diff)):
      guard case .moved(let items, let destination)? = diff.changes.first, diff.changes.count == 1,
        destination.position != .end
      else { return message }
      diff.changes[0] = .moved(items, .end(of: destination.collection))
      isFaultInjected = true
      return .diff(diff)
    case (.swallowAnswer, .outcome(let outcome)):
      guard outcome.verdict != .retry else { return message }
      isFaultInjected = true
      return nil
    case (.swapVerdict, .outcome(var outcome)):
      guard outcome.verdict == .refused else { return message }
      outcome.verdict = .unchanged
      isFaultInjected = true
      return .outcome(outcome)
    case (.repeatDiff, .diff):
      isFaultInjected = true
      client.link?.down.insert(.message(message), at: 0)
      return message
    case (.dropDiff, _), (.misplaceMove, _), (.shiftGap, _), (.swallowAnswer, _), (.swapVerdict, _), (.repeatDiff, _):
      return message
    }
  }
}
