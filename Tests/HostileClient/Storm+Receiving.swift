import BaizeHTTP
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// The daemon's answers.
extension Storm {
  static let leftoverBytesMax = WireLimits.serverFrameBytesMax + WebSocketFrame.headerBytesMax
  private static let streamReader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private static let webReader = WebSocketFrameReader(
    isServer: false, payloadBytesMax: WireLimits.serverFrameBytesMax)

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    change(key) { member in
      do {
        guard usesHTTP else { return position = try readStream(bytes, &member) }
        position = try readWeb(bytes, &member)
      } catch {
        counts.received("UNREADABLE: \(error)")
        position = bytes.count
      }
    }
    return members[key] == nil ? bytes.count : position
  }

  private func readStream(_ bytes: UnsafeRawBufferPointer, _ member: inout StormConnection) throws -> Int {
    // What begins like another protocol is answered in that.
    if !member.isAtTable, let other = ForeignProtocol(ofServer: bytes) {
      counts.received("an answer in \(other)")
      return bytes.count
    }
    var position = 0
    while let frame = try Self.streamReader.next(in: bytes, from: position) {
      position = frame.upperBound
      note(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[frame])), &member)
    }
    return position
  }

  private func readWeb(_ bytes: UnsafeRawBufferPointer, _ member: inout StormConnection) throws -> Int {
    var position = 0
    if !member.behavior.upgrades || !member.isReady {
      counts.received("HTTP \(String(decoding: bytes.prefix(12).dropFirst(9), as: UTF8.self))")
      guard member.behavior.upgrades, bytes.starts(with: Array("HTTP/1.1 101".utf8)) else { return bytes.count }
      guard let end = Array(bytes).firstRange(of: Array("\r\n\r\n".utf8)) else { return 0 }
      member.isReady = true
      position = end.upperBound
    }
    while let frame = try Self.webReader.next(in: bytes, from: position) {
      position = frame.payload.upperBound
      if frame.opcode == .binary {
        note(try ServerMessage(decoding: frame.unmasked(bytes)), &member)
      } else {
        counts.received("frame \(frame.opcode)")
      }
    }
    return position
  }

  private func note(_ message: ServerMessage, _ member: inout StormConnection) {
    switch message {
    case .welcome(let welcome):
      counts.received("welcome")
      tables[member.table].lastSession = max(tables[member.table].lastSession, welcome.session)
      member.isAtTable = true
      member.session = welcome.session
      (member.knowledge.epoch, member.knowledge.revision) = (welcome.epoch, welcome.revision)
      member.knowledge.lastSequence = welcome.lastSequence
      if member.behavior == .nonReader { loop.pauseReading(member.key) }
    case .snapshot(let part):
      counts.received("part of a snapshot")
      if part.isFirst {
        member.knowledge.items = []
        member.itemCount = part.collections.reduce(0) { $0 + Int($1.count) }
      }
      let room = TableLimits.itemsPerOperationMax - member.knowledge.items.count
      member.knowledge.items += part.items.prefix(room).map(\.id)
      member.knowledge.revision = part.revision
    case .diff(let diff):
      counts.received(diff.author == member.session ? "own diff" : "another's diff")
      member.knowledge.revision = diff.revision
    case .outcome(let outcome):
      counts.received("\(outcome.verdict) \(outcome.refusal.reason.rawValue)")
      if outcome.verdict == .retry, outcome.sequence <= member.knowledge.lastSequence {
        member.knowledge.lastSequence = SequenceNumber(rawValue: outcome.sequence.rawValue - 1)
      }
    case .goodbye(let goodbye):
      counts.received("goodbye \(goodbye.reason.rawValue)")
      member.isDismissed = true
      // Another connection has the session now.
      if goodbye.reason == .displaced { member.credential = [] }
    case .pong, .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown:
      counts.received(StormCounts.name(of: message))
    }
  }
}
