import BaizeSync
import BaizeTable
import BaizeWire

/// The bounded queue of events for one reader. On overflow a single `.reloaded` replaces everything queued.
struct ClientFeed {
  private(set) var events: [ClientEvent] = [.changed([.reloaded])]
  /// The sum of the weights of the queued events.
  private var weight = 1
  private(set) var isFinished = false
  let weightMax: Int
  /// The suspended reader, if the queue is empty.
  var waiter: CheckedContinuation<Void, Never>?

  init(weightMax: Int) { self.weightMax = weightMax }

  var isEmpty: Bool { events.isEmpty }

  mutating func append(_ event: ClientEvent) {
    if case .ended = event { isFinished = true }
    weight += event.weight
    if weight > weightMax {
      // The reader finds everything these events reported in the client's state.
      events = [.changed([.reloaded])]
      weight = 1
      if case .ended = event { events.append(event) }
    } else {
      events.append(event)
    }
  }

  /// Removes and returns all queued events.
  mutating func takeAll() -> [ClientEvent] {
    weight = 0
    defer { events = [] }
    return events
  }
}

extension ClientEvent {
  /// The event's share of a queue's limit: one, plus one for each change it carries.
  var weight: Int {
    switch self {
    case .changed(let changes): 1 + changes.count
    case .diff(let diff): 1 + diff.changes.count
    case .seats(let seats): 1 + seats.count
    case .drag(let drag): 1 + drag.items.count
    case .answered: 2
    case .presence, .chat, .countdown, .watching: 1
    case .joined, .disconnected, .diverged, .ended: 1
    }
  }
}
