/// The system call by which a loop waits for its descriptors.
public enum SelectorKind: Sendable, CaseIterable {
  #if os(Linux)
    /// epoll(7), whose cost grows with the number of ready descriptors.
    case epoll
  #endif
  /// poll(2), for systems without epoll, and for tests of both elsewhere.
  case poll

  /// The best one of this platform.
  public static var platformDefault: SelectorKind {
    #if os(Linux)
      .epoll
    #else
      .poll
    #endif
  }
}

/// The events of a descriptor that the loop waits for. Errors and hang-ups are always reported.
struct Interest: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  static let read = Interest(rawValue: 1)
  static let write = Interest(rawValue: 2)
}

/// The state of a descriptor as a selector reports it.
struct Readiness: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  static let read = Readiness(rawValue: 1)
  static let write = Readiness(rawValue: 2)
  /// Both directions have ended.
  static let hangUp = Readiness(rawValue: 4)
  static let error = Readiness(rawValue: 8)
}

/// A report of a selector. It has the key that the descriptor was added with, not the descriptor: that number may
/// belong to another connection by the time of the report.
struct SelectorEvent: BitwiseCopyable {
  var key: UInt64
  var readiness: Readiness
}

/// The seam between the loop and the kernel. An enum, so that neither a call nor an event needs an existential.
///
/// Both kinds are level-triggered: what was not handled is reported again.
enum Selector {
  #if os(Linux)
    case epoll(EpollSelector)
  #endif
  case poll(PollSelector)

  init(_ kind: SelectorKind) throws(SystemError) {
    switch kind {
    #if os(Linux)
      case .epoll: self = .epoll(try EpollSelector())
    #endif
    case .poll: self = .poll(PollSelector())
    }
  }

  func add(_ descriptor: Int32, key: UInt64, _ interest: Interest) throws(SystemError) {
    switch self {
    #if os(Linux)
      case .epoll(let selector): try selector.add(descriptor, key: key, interest)
    #endif
    case .poll(let selector): selector.add(descriptor, key: key, interest)
    }
  }

  func change(_ descriptor: Int32, key: UInt64, _ interest: Interest) throws(SystemError) {
    switch self {
    #if os(Linux)
      case .epoll(let selector): try selector.change(descriptor, key: key, interest)
    #endif
    case .poll(let selector): selector.change(descriptor, interest)
    }
  }

  /// Removes a descriptor, before it is closed.
  func remove(_ descriptor: Int32) {
    switch self {
    #if os(Linux)
      case .epoll(let selector): selector.remove(descriptor)
    #endif
    case .poll(let selector): selector.remove(descriptor)
    }
  }

  /// Waits until a descriptor is ready or the timeout is over.
  ///
  /// - Parameter milliseconds: The timeout: 0 does not wait, -1 waits without limit.
  /// - Returns: The number of reports, for ``event(at:)`` until the next wait.
  func wait(milliseconds: Int32) throws(SystemError) -> Int {
    switch self {
    #if os(Linux)
      case .epoll(let selector): try selector.wait(milliseconds: milliseconds)
    #endif
    case .poll(let selector): try selector.wait(milliseconds: milliseconds)
    }
  }

  @inline(__always)
  func event(at index: Int) -> SelectorEvent {
    switch self {
    #if os(Linux)
      case .epoll(let selector): selector.event(at: index)
    #endif
    case .poll(let selector): selector.event(at: index)
    }
  }
}
