import BaizeSync
import BaizeTable
import BaizeWire

/// A trace of all events, to find the cause of a failure.
extension World {
  func trace(_ line: @autoclosure () -> String) {
    if traces { traceLines.append(line()) }
  }

  func trace(_ write: JournalWrite) {
    guard traces else { return }
    switch write {
    case .table(let definition): traceLines.append("  written: table \(definition.name)")
    case .snapshot(let part): traceLines.append("  written: part \(part.number) of a snapshot of record \(part.record)")
    case .record(let record):
      traceLines.append(
        "  written: record \(record.number) of \(record.table), to revision \(record.revision.rawValue)")
      for entry in (try? JournalEntry.entries(of: record.bytes)) ?? [] { traceLines.append("    \(entry.summary)") }
    }
  }
}

extension JournalEntry {
  fileprivate var summary: String {
    switch self {
    case .diff(let diff): diff.summary
    case .outcome(let session, let outcome): "session \(session.rawValue): \(outcome.summary)"
    case .session(let session): "session \(session.id.rawValue)"
    case .forgotten(let session): "session \(session.rawValue) is forgotten"
    case .opened(let epoch): "epoch \(epoch.rawValue)"
    case .invite(let role, _): "an invite for a \(role)"
    }
  }
}

extension Diff {
  fileprivate var summary: String {
    "diff \(revision.rawValue) by \(author.rawValue), operation \(sequence.rawValue): \(operation)"
      + (isRebased ? ", rebased" : "") + (isRedirected ? ", redirected" : "")
  }
}

extension Outcome {
  fileprivate var summary: String {
    "operation \(sequence.rawValue) \(verdict) \(refusal.reason.rawValue) at revision \(revision.rawValue)"
  }
}

extension ClientMessage {
  var summary: String {
    switch self {
    case .hello(let hello):
      "hello, \(hello.resumeToken.isEmpty ? "new" : "from revision \(hello.revision.rawValue) of epoch \(hello.epoch.rawValue)")"
    case .operation(let operation):
      "operation \(operation.sequence.rawValue) on revision \(operation.base.rawValue) of epoch \(operation.epoch.rawValue)"
    case .drag, .ping, .snapshotRequest, .goodbye, .unknown: "\(self)"
    }
  }
}

extension ServerMessage {
  var summary: String {
    switch self {
    case .welcome(let welcome):
      "welcome, session \(welcome.session.rawValue) in seat \(welcome.seat.rawValue), "
        + "revision \(welcome.revision.rawValue) of epoch \(welcome.epoch.rawValue)"
        + (welcome.tableType.isEmpty ? ", diffs follow" : "")
    case .snapshot(let part):
      "snapshot of revision \(part.revision.rawValue) of epoch \(part.epoch.rawValue), \(part.items.count) items"
        + (part.isFirst ? ", first part" : "") + (part.isComplete ? ", last part" : "")
    case .diff(let diff): diff.summary
    case .outcome(let outcome): outcome.summary
    case .seats(let seats): "seats \(seats.map(\.number.rawValue))"
    case .drag, .pong, .goodbye, .unknown: "\(self)"
    }
  }
}
