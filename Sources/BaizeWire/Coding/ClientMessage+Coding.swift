import BaizeTable

extension ClientMessage {
  /// Decodes one message, without its length. It knows every field of the contract and skips the others.
  ///
  /// As everywhere in this codec, fields may have any order, and of a repeated singular field the last one counts: an
  /// embedded message replaces the earlier one and is not merged with it. One that is replaced must be well-formed, too.
  ///
  /// An operation that exceeds one of ``WireLimits`` is `TableOperation.Kind.invalid`, and other texts beyond their
  /// limits are left out.
  ///
  /// - Throws: ``DecodeError`` where the bytes are malformed, or where a text of a hello, or a signed token, is too long.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(DecodeError) {
    if let move = SingleMove(canonical: bytes) {
      self = .operation(move.operation)
    } else {
      try self.init(general: bytes)
    }
  }

  /// Decodes every encoding of every message.
  @inline(never) init(general bytes: UnsafeRawBufferPointer) throws(DecodeError) {
    var reader = ByteReader(bytes)
    var body = OneOf()
    while let field = try reader.nextField() {
      switch field.number {
      case 1...9:
        try body.note(field, from: &reader) { (replaced) throws(DecodeError) in _ = try Self(replaced) }
      default: try reader.skip(field)
      }
    }
    try self.init(body)
  }

  private init(_ body: OneOf) throws(DecodeError) {
    switch body.number {
    case 1: self = .hello(try Hello(body.content))
    case 2: self = .operation(try TableOperation(body.content))
    case 3: self = .drag(try Drag(body.content, from: .client))
    case 4: self = .ping(try Ping(body.content))
    case 5: self = .snapshotRequest(why: try Self.why(body.content))
    case 6: self = .goodbye(try Goodbye(body.content, from: .client))
    case 7: self = .presence(try Presence(body.content))
    case 8: self = .chat(try Chat(body.content))
    case 9: self = .signedToken(try Self.signedToken(body.content))
    default: self = .unknown
    }
  }

  private static func why(_ bytes: ByteReader) throws(DecodeError) -> String {
    var why = ""
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in
      why = try reader.string(field, keeping: WireLimits.detailBytesMax)
    }
    return why
  }

  private static func signedToken(_ bytes: ByteReader) throws(DecodeError) -> String {
    var token = ""
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in token = try reader.string(field, .signedToken) }
    return token
  }

  package func encode(into writer: inout ByteWriter) {
    switch self {
    case .hello(let hello): writer.message(1) { hello.encode(into: &$0) }
    case .operation(let operation): writer.message(2) { operation.encode(into: &$0) }
    case .drag(let drag): writer.message(3) { drag.encode(into: &$0) }
    case .ping(let ping): writer.message(4) { ping.encode(into: &$0) }
    case .snapshotRequest(let why): writer.message(5) { $0.string(1, why) }
    case .goodbye(let goodbye): writer.message(6) { goodbye.encode(into: &$0) }
    case .presence(let presence): writer.message(7) { presence.encode(into: &$0) }
    case .chat(let chat): writer.message(8) { chat.encode(into: &$0) }
    case .signedToken(let token): writer.message(9) { $0.string(1, token) }
    case .unknown: break
    }
  }
}

extension Hello {
  /// Returns the table that a message names if it is a hello, without decoding or checking the others of its fields; `nil` for
  /// any other message, and for a malformed one where that shows.
  ///
  /// - Complexity: O(number of fields). It takes a small part of the time of decoding them.
  package static func table(inFrame bytes: UnsafeRawBufferPointer) -> String? {
    do throws(DecodeError) {
      var reader = ByteReader(bytes)
      var hello: ByteReader?
      while let field = try reader.nextField() {
        switch field.number {
        case 1: hello = try reader.message(field)
        case 2...9:
          hello = nil
          try reader.skip(field)
        default: try reader.skip(field)
        }
      }
      guard var hello else { return nil }
      var table = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
      while let field = try hello.nextField() {
        if field.number == 2 { table = try hello.message(field) } else { try hello.skip(field) }
      }
      return table.remaining <= WireLimits.tableBytesMax ? try table.text() : nil
    } catch {
      return nil
    }
  }

  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(version: 0, table: "")
    while let field = try reader.nextField() {
      switch field.number {
      case 1: version = try reader.uint32(field)
      case 2: table = try reader.string(field, .table)
      case 3: tableType = try reader.string(field, .tableType)
      case 4: name = try reader.string(field, .name)
      case 5: role = try reader.enumeration(field)
      case 6: invite = try reader.string(field, .invite)
      case 7: credential = try reader.bytes(field, .credential)
      case 8: epoch = Epoch(rawValue: try reader.uint64(field))
      case 9: revision = Revision(rawValue: try reader.uint64(field))
      case 10: seed = try reader.uint64(field)
      case 11: sessionName = try reader.bytes(field, .sessionName)
      case 12: ticket = try reader.bytes(field, .ticket)
      case 13: attempt = try reader.uint64(field)
      case 14: signedToken = try reader.string(field, .signedToken)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint32(1, version)
    writer.string(2, table)
    writer.string(3, tableType)
    writer.string(4, name)
    writer.uint32(5, role.rawValue)
    writer.string(6, invite)
    writer.bytes(7, credential)
    writer.uint64(8, epoch.rawValue)
    writer.uint64(9, revision.rawValue)
    writer.uint64(10, seed)
    writer.bytes(11, sessionName)
    writer.bytes(12, ticket)
    writer.uint64(13, attempt)
    writer.string(14, signedToken)
  }
}

extension ByteReader {
  fileprivate mutating func string(_ field: FieldTag, _ part: Hello.Field) throws(DecodeError) -> String {
    let content = try message(field)
    guard content.remaining <= part.bytesMax else { throw part.excess }
    return try content.text()
  }

  fileprivate mutating func bytes(_ field: FieldTag, _ part: Hello.Field) throws(DecodeError) -> [UInt8] {
    let content = try message(field)
    guard content.remaining <= part.bytesMax else { throw part.excess }
    return content.array()
  }
}

extension Ping {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(nonce: 0)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: nonce = try reader.uint64(field)
      case 2: wantsHash = try reader.bool(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, nonce)
    writer.bool(2, wantsHash)
  }
}
