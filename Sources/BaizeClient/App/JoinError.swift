public import BaizeWire

/// The reason why a table could not be joined.
public enum JoinError: Error, Hashable, Sendable {
  /// The daemon refused. The goodbye carries a stable code such as `TABLE_FULL` and a sentence for people.
  case refused(Goodbye)
  /// No daemon answered within the timeout. The text describes the last failure.
  case unreachable(String)
  /// The address is not `HOST:PORT`, or the host name could not be resolved.
  case invalidAddress(String)
  /// A text of the configuration has so many bytes, which is more than any daemon accepts (`HelloField.bytesMax`). Nothing
  /// was sent.
  case tooLong(HelloField, bytes: Int)
  /// The loop has been stopped, or the system has no descriptors left to create one.
  case loopUnavailable(String)
  /// The session store cannot be used. Nothing was sent, and the store is as it was.
  case sessionStore(SessionStoreError)
}

extension JoinError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let goodbye): "\(goodbye.reason.rawValue): \(goodbye.detail)"
    case .unreachable(let reason): "no daemon answered: \(reason)"
    case .invalidAddress(let reason): reason
    case .tooLong(let field, let bytes): "\(field) has \(bytes) bytes, at most \(field.bytesMax) are allowed"
    case .loopUnavailable(let reason): "no client loop is available: \(reason)"
    case .sessionStore(let error): "\(error)"
    }
  }
}
