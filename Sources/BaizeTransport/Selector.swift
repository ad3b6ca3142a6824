/// Which of the kernel's calls tells a loop that a descriptor is ready.
public enum SelectorKind: Sendable, CaseIterable {
  #if os(Linux)
    case epoll
  #endif
  /// For systems without epoll, and a second opinion where there is one.
  case poll

  public static var platformDefault: SelectorKind {
    #if os(Linux)
      .epoll
    #else
      .poll
    #endif
  }
}

/// What the loop wants to hear of a descriptor. Errors and hang-ups are always heard.
struct Interest: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  static let read = Interest(rawValue: 1)
  static let write = Interest(rawValue: 2)
}

/// What a selector says of a descriptor.
struct Readiness: OptionSet, BitwiseCopyable {
  let rawValue: UInt8
  static let read = Readiness(rawValue: 1)
  static let write = Readiness(rawValue: 2)
  /// Both directions have ended.
  static let hangUp = Readiness(rawValue: 4)
  static let error = Readiness(rawValue: 8)
}

/// One report. The key is the one that the descriptor was added with, not the descriptor: by the time of the report the
/// number may belong to somebody else.
struct SelectorEvent: BitwiseCopyable {
  var key: UInt64
  var readiness: Readiness
}

/// The seam between the loop and the kernel. An enum, so that neither a call nor an event goes through an existential.
///
/// Both are level-triggered: what was not taken care of is reported again.
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

  /// To be called before the descriptor is closed.
  func remove(_ descriptor: Int32) {
    switch self {
    #if os(Linux)
      case .epoll(let selector): selector.remove(descriptor)
    #endif
    case .poll(let selector): selector.remove(descriptor)
    }
  }

  /// Waits until a descriptor is ready or the time is over.
  ///
  /// - Parameter milliseconds: 0 looks without waiting, -1 waits without end.
  /// - Returns: how many reports there are; `event(at:)` has them until the next wait.
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
