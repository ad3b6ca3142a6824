#if os(Linux)
  import BaizeSystem

  /// epoll(7), level-triggered. The cost of a wait grows with the number of ready descriptors, not of watched ones.
  final class EpollSelector {
    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(SystemError) {
      epoll = try SystemCall.require("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
      events = .allocate(capacity: TransportLimits.eventsPerTurn)
      events.initialize(repeating: epoll_event(), count: TransportLimits.eventsPerTurn)
    }

    deinit {
      events.deallocate()
      SystemCall.closeDescriptor(epoll)
    }

    func add(_ descriptor: Int32, key: UInt64, _ interest: Interest) throws(SystemError) {
      try control(EPOLL_CTL_ADD, descriptor, key, interest)
    }

    func change(_ descriptor: Int32, key: UInt64, _ interest: Interest) throws(SystemError) {
      try control(EPOLL_CTL_MOD, descriptor, key, interest)
    }

    func remove(_ descriptor: Int32) {
      // Fails only for a descriptor that is not watched: nothing to do.
      _ = try? SystemCall.require("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }
    }

    func wait(milliseconds: Int32) throws(SystemError) -> Int {
      Int(
        try SystemCall.require("epoll_wait") {
          epoll_wait(epoll, events, Int32(TransportLimits.eventsPerTurn), milliseconds)
        })
    }

    func event(at index: Int) -> SelectorEvent {
      let bits = events[index].events
      var readiness: Readiness = []
      if bits & EPOLLIN.rawValue != 0 { readiness.insert(.read) }
      if bits & EPOLLOUT.rawValue != 0 { readiness.insert(.write) }
      if bits & EPOLLHUP.rawValue != 0 { readiness.insert(.hangUp) }
      if bits & EPOLLERR.rawValue != 0 { readiness.insert(.error) }
      return SelectorEvent(key: events[index].data.u64, readiness: readiness)
    }

    private func control(
      _ operation: Int32, _ descriptor: Int32, _ key: UInt64, _ interest: Interest
    ) throws(SystemError) {
      var event = epoll_event()
      if interest.contains(.read) { event.events |= EPOLLIN.rawValue }
      if interest.contains(.write) { event.events |= EPOLLOUT.rawValue }
      event.data.u64 = key
      try SystemCall.require("epoll_ctl") { epoll_ctl(epoll, operation, descriptor, &event) }
    }
  }
#endif
