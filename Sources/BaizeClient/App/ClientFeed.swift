import BaizeSync
import BaizeTable
import BaizeWire

/// What waits for one reader of a client's events. It is bounded: who reads too slowly reads everything anew instead.
struct ClientFeed {
  private(set) var events: [ClientEvent] = [.changed([.reloaded])]
  /// Of all events that wait, each change counted.
  private var weight = 1
  private(set) var isFinished = false
  let weightMax: Int
  /// The reader, while it has nothing to read.
  var waiter: CheckedContinuation<Void, Never>?

  init(weightMax: Int) { self.weightMax = weightMax }

  var isEmpty: Bool { events.isEmpty }

  mutating func append(_ event: ClientEvent) {
    if case .ended = event { isFinished = true }
    weight += event.weight
    if weight > weightMax {
      // Whatever these said can be read from the client.
      events = [.changed([.reloaded])]
      weight = 1
      if case .ended = event { events.append(event) }
    } else {
      events.append(event)
    }
  }

  /// All that waits.
  mutating func takeAll() -> [ClientEvent] {
    weight = 0
    defer { events = [] }
    return events
  }
}

extension ClientEvent {
  /// What it costs to keep, roughly: one, and one for each change.
  var weight: Int {
    switch self {
    case .changed(let changes): 1 + changes.count
    case .diff(let diff): 1 + diff.changes.count
    case .seats(let seats): 1 + seats.count
    case .drag(let drag): 1 + drag.items.count
    case .answered: 2
    case .joined, .disconnected, .diverged, .ended: 1
    }
  }
}
