import BaizeTable
import BaizeWire

/// Fan-out: a diff is recorded once, encoded once for each distinct view, and sent to every live member. Members that are
/// not live get it after catch-up.
extension Room {
  /// Records a diff and sends it to all live members.
  ///
  /// - Parameter author: The slot of its author's session; `nil` for the daemon.
  /// - Returns: Whether the author is a live member.
  mutating func publish(_ diff: Diff, author: Int?, into batch: FrameBatch) -> Bool {
    switch views {
    case .complete, .sameForAll: publishToAll(diff, author: author, into: batch)
    case .differ: publishViews(diff, author: author, into: batch)
    }
  }

  private mutating func publishToAll(_ diff: Diff, author: Int?, into batch: FrameBatch) -> Bool {
    let frame = batch.encode(diff, for: .spectator, isAuthor: false)
    let authorFrame = diff.minted.isEmpty ? frame : batch.encode(diff, for: .spectator, isAuthor: true)
    if views == .sameForAll, diff.hidesFaces {
      let start = log.end
      batch.record(diff, in: &log)
      count(entry: log.end - start, as: authorFrame, of: diff)
    } else {
      batch.record(authorFrame, in: &log)
    }
    if views == .sameForAll { record(authorFrame, for: .spectator, from: batch) }
    let sent = batch.send(frame, authorFrame: authorFrame, of: author ?? -1, toLive: &members)
    batch.count(diff, hasAuthor: author != nil, items: diff.itemCount, deliveries: sent.count)
    return sent.reachesAuthor
  }

  /// Sends a diff encoded once for each distinct view, and once for the author with its sequence number.
  private mutating func publishViews(_ diff: Diff, author: Int?, into batch: FrameBatch) -> Bool {
    let start = log.end
    batch.record(diff, in: &log)
    let entryBytes = log.end - start
    let others = diff.forOthers
    var frames = FramesBySeat()
    func frame(for seat: SeatNumber) -> Range<Int> {
      frames.frame(for: diff.isDistinct(for: seat) ? seat : .spectator) {
        batch.encode(others, for: $0, isAuthor: false)
      }
    }
    let member = author.flatMap(member(ofSession:))
    let authorFrame = member.map { batch.encode(diff, for: members[$0].seat, isAuthor: true) }
    count(entry: entryBytes, as: authorFrame ?? frame(for: .spectator), of: diff)
    for seat in viewLogs?.seats ?? [] {
      let isAuthors = seat != .spectator && member.map { members[$0].seat } == seat
      record(isAuthors ? authorFrame ?? frame(for: seat) : frame(for: seat), for: seat, from: batch)
    }
    var reachesAuthor = false
    var count = 0
    for index in members.indices where members[index].isLive {
      count += 1
      if index == member { reachesAuthor = true }
      batch.send((index == member ? authorFrame : nil) ?? frame(for: members[index].seat), to: &members[index])
    }
    batch.count(diff, hasAuthor: author != nil, items: diff.itemCount, deliveries: count)
    return reachesAuthor
  }

  // MARK: Moves

  /// Publishes the move of one item, where all members see the same: only recorded for now, since the record has the bytes
  /// of the frame. ``sendMoves(into:)`` sends what was recorded in one piece, before anything else is sent to a member.
  @inline(__always) mutating func publish(_ move: SingleMoveDiff, into batch: FrameBatch) {
    if unsentStart == nil { unsentStart = log.end }
    batch.count(published: log.append(move), isRebased: move.isRebased, deliveries: liveCount)
    if viewLogs != nil { recordForAll(move) }
  }

  @inline(never) private mutating func recordForAll(_ move: SingleMoveDiff) {
    viewLogs?.withLog(of: .spectator) { _ = $0.append(move) }
  }

  /// Sends the live members the moves that were published and not sent. To be called before anything else is recorded or
  /// sent, and before a member comes, goes or changes its phase.
  @inline(__always) mutating func sendMoves(into batch: FrameBatch) {
    if let start = unsentStart { sendMoves(from: start, into: batch) }
  }

  @inline(never) private mutating func sendMoves(from start: RecordLog.Position, into batch: FrameBatch) {
    unsentStart = nil
    log.withRecords(from: start) { batch.send(published: $0, toLive: &members) }
  }

  // MARK: Answers

  /// Sends an outcome. A loading member gets it after the snapshot, from the log or from the recorded outcomes.
  mutating func answer(_ outcome: Outcome, _ member: Int, _ answers: inout Answers, into batch: FrameBatch) {
    let isJudged = outcome.verdict != .retry
    if members[member].isLive {
      batch.send(.outcome(outcome), to: members[member].connection)
      if isJudged { answers.markSent(outcome.sequence) } else { answers.markRetrySent(outcome.sequence) }
    } else if isJudged {
      // Answers that a snapshot skips directly follow it, and are not repeated unless another snapshot skips them.
      if case .loading(let producer, _) = members[member].phase, producer.isComplete,
        outcome.sequence <= answers.sent
      {
        setPhase(.lagging, of: member)
      }
      answers.markUnsent(outcome.sequence)
    }
  }

  // MARK: Drags

  /// Sends a drag to all live members but one, encoded once for each distinct view.
  ///
  /// - Parameter isDroppable: Whether it is not sent to members with a backlog.
  func relay(_ drag: Drag, except excluded: Int?, isDroppable: Bool, in state: TableState, into batch: FrameBatch) {
    guard members.count > (excluded == nil ? 0 : 1) else { return }
    var frames = FramesBySeat()
    for (index, member) in members.enumerated() where index != excluded && member.isLive {
      if isDroppable, member.backlog.bytes > limits.connections.outboxSoftBytes { continue }
      let frame = frames.frame(for: views == .differ ? member.seat : .spectator) {
        batch.encode(.drag(drag.visible(to: $0, in: state)))
      }
      batch.send(frame, to: member.connection)
    }
  }
}

/// The encoded frames of one message, by seat.
private struct FramesBySeat {
  private var frames: [(seat: SeatNumber, frame: Range<Int>)] = []

  mutating func frame(for seat: SeatNumber, _ encode: (SeatNumber) -> Range<Int>) -> Range<Int> {
    if let known = frames.first(where: { $0.seat == seat }) { return known.frame }
    let frame = encode(seat)
    frames.append((seat, frame))
    return frame
  }
}

extension Drag {
  func visible(to seat: SeatNumber, in state: TableState) -> Drag {
    var drag = self
    (drag.items, drag.over) = state.visible(items, over: over, to: seat)
    return drag
  }
}
