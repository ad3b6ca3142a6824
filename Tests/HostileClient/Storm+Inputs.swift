import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// The bytes of hostile connections, by their behavior.
extension Storm {
  /// Returns a message's frame, or its frames of WebSocket.
  func frame(of message: ClientMessage) -> [UInt8] { usesHTTP ? frames.frames(of: message) : message.framed() }

  /// Returns the next bytes, and what they are; `nil` if the connection waits for the daemon.
  func input(of member: inout StormConnection) -> (bytes: [UInt8], what: String)? {
    let isFirst = !member.hasBegun
    member.hasBegun = true
    let name = member.behavior.rawValue
    switch member.behavior {
    case .player, .intruder, .thief, .snapshotRequester, .dragger, .nonReader, .repeatedHello:
      if isFirst { return (frame(of: .hello(hello(of: &member))), "hello") }
      guard member.isAtTable || member.behavior == .nonReader else { return nil }
      let message = frames.message(by: member)
      if case .operation(let operation) = message, operation.sequence == member.knowledge.lastSequence.next {
        member.knowledge.lastSequence = operation.sequence
      }
      return (frame(of: message), StormCounts.name(of: message))
    case .invalidHello: return isFirst ? (frame(of: .hello(frames.wrongHello(tables))), name) : nil
    case .invalidFirstFrame: return (frame(of: frames.anything()), "before the hello")
    case .invalidBytes: return isFirst || usesHTTP ? (frames.invalidBytes(), name) : nil
    case .partialFrame:
      member.inputsLeft = 1
      let whole = frame(of: .hello(frames.hello(table: "hostile-0", type: "grid")))
      return (Array(whole.prefix(1 + frames.random.below(whole.count - 1))), name)
    case .oversizedFrame:
      guard isFirst else { return nil }
      return ([0xFF, 0xFF, 0xFF, UInt8(frames.random.below(0x80))] + frames.random.bytes(100), name)
    case .silent, .immediateClose, .slowSender: return nil
    case .brokenRequest: return (frames.brokenRequest(), name)
    case .headerFlood: return (frames.headerFlood(), name)
    case .partialRequest: return (Array(frames.request().dropLast(4)), name)
    case .pipeliner, .unreadPipeliner: return (frames.request(), name)
    case .brokenUpgrade: return (frames.brokenUpgrade(), name)
    case .brokenFrames: return (frames.brokenFrame(), name)
    case .frameFlood: return (frames.controlFrame(isFirst: isFirst), name)
    }
  }

  private func hello(of member: inout StormConnection) -> Hello {
    let table = tables[member.table]
    var hello = frames.hello(table: table.name, type: table.type)
    if member.behavior == .intruder || frames.random.happens(onceIn: 3) { hello.role = .spectator }
    if member.behavior == .thief,
      let owner = members.values.first(where: { [table = member.table] in $0.table == table && $0.isAtTable })
    {
      hello.credential = owner.credential
    } else if table.credentials.count >= StormTable.sessionsMax {
      hello.credential = tables[member.table].credentials.removeFirst()
      hello.epoch = Epoch(rawValue: frames.random.happens(onceIn: 2) ? 1 : frames.random.number())
      hello.revision = Revision(rawValue: frames.random.number())
    } else {
      hello.credential = frames.random.bytes(WireLimits.credentialBytes)
    }
    member.credential = hello.credential
    return hello
  }
}
