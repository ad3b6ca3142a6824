public import BaizeWire

/// Why a table was not joined.
public enum JoinError: Error, Hashable, Sendable {
  /// The daemon refused: the reason is a stable code such as `TABLE_FULL`, the detail a sentence for people.
  case refused(Goodbye)
  /// No daemon answered in the time allowed; the last thing that went wrong.
  case unreachable(String)
  /// What should be `HOST:PORT` is not, or the name was not found.
  case badAddress(String)
  /// The loop has been stopped, or the system has no descriptors left for one.
  case noLoop(String)
}

extension JoinError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let goodbye): "\(goodbye.reason.rawValue): \(goodbye.detail)"
    case .unreachable(let why): "no daemon answered: \(why)"
    case .badAddress(let why): why
    case .noLoop(let why): "there is no loop to carry a client: \(why)"
    }
  }
}
