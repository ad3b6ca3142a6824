import BaizeTable

// The descriptions of answers and changes: short sentences.

extension Answer: CustomStringConvertible {
  public var description: String {
    switch self {
    case .accepted(let diff): "accepted as \(diff)"
    case .acceptedBefore(let revision): "accepted before, as \(revision)"
    case .unchanged: "unchanged"
    case .invited: "accepted with an invite"
    case .refused(let refusal): "refused, \(refusal)"
    case .unknown: "unknown: the session ended before the answer"
    }
  }
}

extension Answered: CustomStringConvertible {
  public var description: String { "operation \(operation.sequence.rawValue): \(answer)" }
}

extension Prediction: CustomStringConvertible {
  public var description: String {
    switch self {
    case .shown(let operation, let isRebased, let isRedirected):
      "shown as \(operation)\(isRebased ? ", rebased" : "")\(isRedirected ? ", redirected" : "")"
    case .unchanged: "unchanged"
    case .unknown: "known to the daemon only"
    case .refused(let refusal): "refused, \(refusal)"
    }
  }
}

extension TableChange: CustomStringConvertible {
  public var description: String {
    switch self {
    case .removed(let item, let location): "\(item) removed from \(location)"
    case .inserted(let item, let location): "\(item) added at \(location)"
    case .moved(let item, let from, let to): "\(item) moved from \(from) to \(to)"
    case .updated(let item): "\(item) changed"
    case .renamed(let old, let new): "\(old) is \(new)"
    case .renamedCollection(let old, let new): "\(old) is \(new)"
    case .status(let status): "the status is '\(status.printable(lengthMax: 256))'"
    case .variables: "variables changed"
    case .seats: "seats changed"
    case .enabled(let collection, let isEnabled): "\(collection) \(isEnabled ? "enabled" : "disabled")"
    case .counted(let collection, let count): "\(collection) has \(count) items"
    case .opened(let collection, let item): "\(item) opens \(collection)"
    case .closed(let collection): "\(collection) is gone"
    case .reloaded: "everything changed"
    }
  }
}

extension TableChange.Location: CustomStringConvertible {
  public var description: String { "offset \(offset) of \(collection)" }
}
