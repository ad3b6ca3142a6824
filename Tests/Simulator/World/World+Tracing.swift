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
    case .deletion(let table): traceLines.append("  written: the deletion of \(table)")
    case .revocations(let document): traceLines.append("  written: \(document.count) bytes of revocations")
    case .snapshot(let part): traceLines.append("  written: part \(part.number) of a snapshot of record \(part.record)")
    case .record(let record):
      traceLines.append(
        "  written: record \(record.number) of \(record.table), to revision \(record.revision.rawValue)")
      for entry in (try? JournalEntry.entries(of: record.bytes)) ?? [] {
        traceLines.append("    \(summary(of: entry))")
      }
    }
  }

  /// Returns the beginning of a message's description: a welcome has a whole document, a snapshot all items.
  func summary(of value: Any) -> String { String("\(value)".prefix(400)) }
}
