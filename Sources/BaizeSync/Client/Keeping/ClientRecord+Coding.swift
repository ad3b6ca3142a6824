import BaizeTable
import BaizeWire

/// The reason why bytes are not a record.
public enum ClientRecordError: Error, Hashable, Sendable {
  /// The bytes are a record that is not complete, or whose checksum is wrong.
  case damaged
  /// The bytes are no record, or one with another key.
  case foreign
  /// A later version of the library wrote the record.
  case newer
}

/// ```
///  8 bytes   "BAIZESES"
///  8 bytes   version                      little-endian, as the checksum
///  8 bytes   checksum of everything else
///  fields    in Protocol Buffers' encoding, the operations as `ClientMessage`
/// ```
extension ClientRecord {
  private static let magic = Array("BAIZESES".utf8)
  private static let version: UInt64 = 2
  private static let headerBytes = 24
  /// Ids, numbers, revisions and epochs are below this (F8).
  private static let numberLimit: UInt64 = 1 << 53

  /// Returns the record's bytes.
  ///
  /// - Parameter key: A text that must be the same when the bytes are read.
  public func encoded(key: String) -> [UInt8] {
    var writer = ByteWriter()
    encode(key, into: &writer)
    return writer.withUnsafeBytes { contents in
      var bytes = Self.magic
      bytes.reserveCapacity(Self.headerBytes + contents.count)
      Self.append(Self.version, to: &bytes)
      Self.append(Self.checksum(Self.version, contents), to: &bytes)
      bytes.append(contentsOf: contents)
      return bytes
    }
  }

  /// Decodes a record.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that ``encoded(key:)`` returned, or any others.
  ///   - key: The text that was given there.
  /// - Throws: The reason why the bytes are no record with this key.
  public init(decoding bytes: [UInt8], key: String) throws(ClientRecordError) {
    guard bytes.starts(with: Self.magic.prefix(bytes.count)) else { throw .foreign }
    guard bytes.count >= Self.headerBytes else { throw .damaged }
    let version = Self.number(in: bytes, at: 8)
    // A later version may define the checksum in another way.
    if version > Self.version { throw .newer }
    self.init()
    var written = ""
    do {
      written = try bytes.withUnsafeBytes { bytes in
        let contents = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes...])
        guard version == Self.version, Self.checksum(version, contents) == Self.number(in: bytes, at: 16) else {
          throw ClientRecordError.damaged
        }
        return try decode(contents)
      }
    } catch {
      throw .damaged
    }
    guard written == key else { throw .foreign }
    guard isConsistent else { throw .damaged }
  }

  private static func checksum(_ version: UInt64, _ contents: UnsafeRawBufferPointer) -> UInt64 {
    var checksum = Checksum()
    checksum.combine(version)
    checksum.combine(contents)
    return UInt64(bitPattern: checksum.value)
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }

  private static func number(in bytes: some RandomAccessCollection<UInt8>, at offset: Int) -> UInt64 {
    bytes.dropFirst(offset).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether the numbers are such as a client gives, so that no later arithmetic overflows.
  private var isConsistent: Bool {
    let numbers = pending.map(\.operation.sequence.rawValue)
    let isAscending = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    let others =
      pending.flatMap { [$0.operation.base.rawValue, $0.operation.epoch.rawValue] }
      + outcomes.map(\.sequence.rawValue) + [epoch.rawValue, session?.id.rawValue ?? 0]
    let hasIdentity =
      identity.map {
        $0.credential.count == WireLimits.credentialBytes && $0.sessionName.count <= WireLimits.sessionNameBytesMax
      }
      ?? (session == nil)
    return hasIdentity && isAscending && numbers.first != 0 && (numbers + others).allSatisfy { $0 < Self.numberLimit }
      && pending.allSatisfy(\.identity.id.isValid) && (session != nil || pending.isEmpty)
  }

  // MARK: Fields

  private func encode(_ key: String, into writer: inout ByteWriter) {
    writer.string(1, key)
    if let session {
      writer.message(2) {
        $0.uint64(1, session.id.rawValue)
        $0.uint32(2, UInt32(session.seat.rawValue))
        $0.bytes(3, session.ticket)
      }
    }
    writer.string(3, invite)
    writer.uint64(4, epoch.rawValue)
    for pending in pending { writer.message(5) { pending.encode(into: &$0) } }
    for outcome in outcomes { writer.message(6) { outcome.encode(into: &$0) } }
    if let identity {
      writer.bytes(7, identity.credential)
      writer.bytes(8, identity.sessionName)
    }
  }

  /// - Returns: The key.
  private mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> String {
    var reader = ByteReader(bytes)
    var key = ""
    var (credential, sessionName): ([UInt8], [UInt8]) = ([], [])
    while let field = try reader.nextField() {
      switch field.number {
      case 1: key = try reader.string(field)
      case 2: session = try Session(reader.message(field))
      case 3: invite = try reader.string(field)
      case 4: epoch = Epoch(rawValue: try reader.uint64(field))
      case 5: pending.append(try Pending(reader.message(field)))
      case 6: outcomes.append(try Outcome(reader.message(field)))
      case 7: credential = try reader.bytes(field)
      case 8: sessionName = try reader.bytes(field)
      default: try reader.skip(field)
      }
    }
    if !credential.isEmpty { identity = Identity(credential: credential, sessionName: sessionName) }
    return key
  }
}

extension ClientRecord.Session {
  fileprivate init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(id: SessionID(rawValue: 0), seat: .spectator, ticket: [])
    while let field = try reader.nextField() {
      switch field.number {
      case 1: id = SessionID(rawValue: try reader.uint64(field))
      case 2: seat = SeatNumber(rawValue: try reader.uint32(field))
      case 3: ticket = try reader.bytes(field)
      default: try reader.skip(field)
      }
    }
  }
}

extension ClientRecord.Pending {
  fileprivate func encode(into writer: inout ByteWriter) {
    writer.string(1, identity.id.rawValue)
    writer.uint64(2, identity.submittedAt)
    writer.message(3) { ClientMessage.operation(operation).encode(into: &$0) }
  }

  fileprivate init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var id = ""
    var submittedAt: UInt64 = 0
    var operation: TableOperation?
    while let field = try reader.nextField() {
      switch field.number {
      case 1: id = try reader.string(field)
      case 2: submittedAt = try reader.uint64(field)
      case 3:
        let message = try reader.bytes(field)
        if case .operation(let read) = try ClientMessage(decoding: message) { operation = read }
      default: try reader.skip(field)
      }
    }
    guard let operation else { throw .truncated }
    self.init(
      operation: operation,
      identity: OperationIdentity(id: OperationID(rawValue: id), submittedAt: submittedAt))
  }
}

extension ClientRecord.Outcome {
  private enum Kind: UInt32 {
    case unknown = 0
    case accepted = 1
    case unchanged = 2
    case refused = 3
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.string(1, id.rawValue)
    writer.uint64(2, sequence.rawValue)
    switch status {
    // A pending operation has no outcome.
    case .pending, .unknown: break
    case .accepted(let revision, let items):
      writer.uint32(3, Kind.accepted.rawValue)
      writer.uint64(4, revision.rawValue)
      for item in items { writer.presentUInt64(5, item.rawValue) }
    case .unchanged: writer.uint32(3, Kind.unchanged.rawValue)
    case .refused(let refusal):
      writer.uint32(3, Kind.refused.rawValue)
      writer.string(6, refusal.reason.rawValue)
      writer.string(7, refusal.rule)
      writer.string(8, refusal.detail)
    }
  }

  fileprivate init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    var kind = Kind.unknown
    var revision: UInt64 = 0
    var items: [ItemID] = []
    var (reason, rule, detail) = ("", "", "")
    self.init(id: OperationID(rawValue: ""), sequence: .zero, status: .unknown)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: id = OperationID(rawValue: try reader.string(field))
      case 2: sequence = SequenceNumber(rawValue: try reader.uint64(field))
      case 3: kind = try reader.enumeration(field)
      case 4: revision = try reader.uint64(field)
      case 5: try reader.uint64s(field) { items.append(ItemID(rawValue: $0)) }
      case 6: reason = try reader.string(field)
      case 7: rule = try reader.string(field)
      case 8: detail = try reader.string(field)
      default: try reader.skip(field)
      }
    }
    switch kind {
    case .unknown: status = .unknown
    case .accepted: status = .accepted(Revision(rawValue: revision), items: items)
    case .unchanged: status = .unchanged
    case .refused: status = .refused(Refusal(Reason(rawValue: reason), rule: rule, detail: detail))
    }
  }
}
