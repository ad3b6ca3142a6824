package import BaizeTable

extension ServerMessage {
  /// The field numbers of the bodies that are also written without a `ServerMessage` around them.
  enum Number {
    static let snapshot: UInt8 = 2
    static let diff: UInt8 = 3
  }

  /// Decodes one message, without its length, by the rules of ``ClientMessage/init(decoding:)``, but without limits.
  ///
  /// - Throws: ``DecodeError`` where the bytes are malformed or have a change that this version cannot apply.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(DecodeError) {
    var reader = ByteReader(bytes)
    var body = OneOf()
    while let field = try reader.nextField() {
      switch field.number {
      case 1...13:
        try body.note(field, from: &reader) { (replaced) throws(DecodeError) in _ = try Self(replaced) }
      default: try reader.skip(field)
      }
    }
    try self.init(body)
  }

  private init(_ body: OneOf) throws(DecodeError) {
    switch body.number {
    case 1: self = .welcome(try Welcome(body.content))
    case 2: self = .snapshot(try SnapshotPart(body.content))
    case 3: self = .diff(try Diff(body.content))
    case 4: self = .outcome(try Outcome(body.content))
    case 5: self = .drag(try Drag(body.content, from: .daemon))
    case 6: self = .pong(try Pong(body.content))
    case 7: self = .seats(try [Seat](body.content))
    case 8: self = .goodbye(try Goodbye(body.content, from: .daemon))
    case 9: self = .presence(try Presence(body.content))
    case 10: self = .chat(try Chat(body.content))
    case 11: self = .countdown(try Countdown(body.content))
    case 12: self = .tokenTime(seconds: try Self.seconds(body.content))
    case 13: self = .watching(try Watching(body.content))
    default: self = .unknown
    }
  }

  private static func seconds(_ bytes: ByteReader) throws(DecodeError) -> UInt32 {
    var seconds: UInt32 = 0
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in seconds = try reader.uint32(field) }
    return seconds
  }

  package func encode(into writer: inout ByteWriter) {
    switch self {
    case .welcome(let welcome): writer.message(1) { welcome.encode(into: &$0) }
    case .snapshot(let part): writer.message(Number.snapshot) { part.encode(into: &$0, for: .asGiven) }
    case .diff(let diff): writer.message(Number.diff) { diff.encode(into: &$0, for: .asGiven, isAuthor: true) }
    case .outcome(let outcome): writer.message(4) { outcome.encode(into: &$0) }
    case .drag(let drag): writer.message(5) { drag.encode(into: &$0) }
    case .pong(let pong): writer.message(6) { pong.encode(into: &$0) }
    case .seats(let seats): writer.message(7) { $0.seats(1, seats) }
    case .goodbye(let goodbye): writer.message(8) { goodbye.encode(into: &$0) }
    case .presence(let presence): writer.message(9) { presence.encode(into: &$0) }
    case .chat(let chat): writer.message(10) { chat.encode(into: &$0) }
    case .countdown(let countdown): writer.message(11) { countdown.encode(into: &$0) }
    case .tokenTime(let seconds): writer.message(12) { $0.uint32(1, seconds) }
    case .watching(let watching): writer.message(13) { watching.encode(into: &$0) }
    case .unknown: break
    }
  }
}

extension Welcome {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(
      version: 0, session: .daemon, seat: .spectator, ticket: [], epoch: Epoch(rawValue: 0), revision: .zero,
      lastSequence: .zero, tableType: "", frameBytesMax: 0, history: 0, heartbeatSeconds: 0, server: "", pendingMax: 0)
    var limits = ContentLimits(for: .daemon)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: version = try reader.uint32(field)
      case 2: session = SessionID(rawValue: try reader.counter(field))
      case 3: seat = SeatNumber(rawValue: try reader.uint32(field))
      case 4: ticket = try reader.bytes(field)
      case 5: epoch = Epoch(rawValue: try reader.counter(field))
      case 6: revision = Revision(rawValue: try reader.counter(field))
      case 7: lastSequence = SequenceNumber(rawValue: try reader.counter(field))
      case 8: tableType = try reader.string(field)
      case 9: frameBytesMax = try reader.uint32(field)
      case 10: history = try reader.uint32(field)
      case 11: heartbeatSeconds = try reader.uint32(field)
      case 12: server = try reader.string(field)
      case 13: pendingMax = try reader.uint32(field)
      case 14: invite = try reader.string(field)
      case 15: try reader.attribute(field, into: &options, &limits)
      case 16: person = SessionID(rawValue: try reader.counter(field))
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint32(1, version)
    writer.uint64(2, session.rawValue)
    writer.uint32(3, seat.rawValue)
    writer.bytes(4, ticket)
    writer.uint64(5, epoch.rawValue)
    writer.uint64(6, revision.rawValue)
    writer.uint64(7, lastSequence.rawValue)
    writer.string(8, tableType)
    writer.uint32(9, frameBytesMax)
    writer.uint32(10, history)
    writer.uint32(11, heartbeatSeconds)
    writer.string(12, server)
    writer.uint32(13, pendingMax)
    writer.string(14, invite)
    writer.attributes(15, options)
    writer.uint64(beyond15: 16, person.rawValue)
  }
}

extension Outcome {
  package init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(sequence: .zero, verdict: .refused, revision: .zero)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: sequence = SequenceNumber(rawValue: try reader.counter(field))
      case 2: verdict = try reader.enumeration(field)
      case 3: refusal.reason = Reason(rawValue: try reader.string(field))
      case 4: refusal.rule = try reader.string(field)
      case 5: refusal.detail = try reader.string(field)
      case 6: revision = Revision(rawValue: try reader.counter(field))
      case 7: try reader.uint64s(field) { minted.append(ItemID(rawValue: $0)) }
      case 8: isRedirected = try reader.bool(field)
      case 9: invite = try reader.string(field)
      default: try reader.skip(field)
      }
    }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint64(1, sequence.rawValue)
    writer.uint32(2, verdict.rawValue)
    writer.string(3, refusal.reason.rawValue)
    writer.string(4, refusal.rule)
    writer.string(5, refusal.detail)
    writer.uint64(6, revision.rawValue)
    if !minted.isEmpty { writer.message(7) { for item in minted { $0.varint(item.rawValue) } } }
    writer.bool(8, isRedirected)
    writer.string(9, invite)
  }

  /// Encodes an outcome that has no more than these.
  package static func encode(
    _ sequence: SequenceNumber, _ verdict: Verdict, _ revision: Revision, into writer: inout ByteWriter
  ) {
    writer.uint64(1, sequence.rawValue)
    writer.uint32(2, verdict.rawValue)
    writer.uint64(6, revision.rawValue)
  }
}

extension Pong {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(nonce: 0, revision: .zero, viewHash: 0, epoch: Epoch(rawValue: 0))
    while let field = try reader.nextField() {
      switch field.number {
      case 1: nonce = try reader.uint64(field)
      case 2: revision = Revision(rawValue: try reader.counter(field))
      case 3: viewHash = try reader.fixed64(field)
      case 4: epoch = Epoch(rawValue: try reader.counter(field))
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, nonce)
    writer.uint64(2, revision.rawValue)
    writer.fixed64(3, viewHash)
    writer.uint64(4, epoch.rawValue)
  }
}
