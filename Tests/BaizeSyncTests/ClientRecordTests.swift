import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

/// The contents of session stores, whole, damaged and foreign.
@Suite struct ClientRecordTests {
  private let key = "t at 127.0.0.1:7777"

  private var record: ClientRecord {
    var record = ClientRecord()
    record.session = ClientRecord.Session(
      id: SessionID(rawValue: 7), seat: SeatNumber(rawValue: 3), ticket: Array(0..<16))
    record.identity = ClientRecord.Identity(credential: Array(0..<32), sessionName: Array(0..<16))
    record.invite = "an invite"
    record.epoch = Epoch(rawValue: 4)
    let kinds: [TableOperation.Kind] = [
      .insert([NewItem(attributes: [Attribute("title", "é")])], .end(of: CollectionHandle(rawValue: 2))),
      .remove([ItemID.provisional(operation: SequenceNumber(rawValue: 9), number: 0)]),
      .undo(SequenceNumber(rawValue: 9)),
    ]
    record.pending = kinds.enumerated().map { index, kind in
      ClientRecord.Pending(
        operation: TableOperation(
          sequence: SequenceNumber(rawValue: UInt64(9 + index)), base: Revision(rawValue: 5), epoch: record.epoch,
          unanswered: UInt32(index), kind: kind),
        identity: OperationIdentity(id: KeptClient.id(index), submittedAt: 1_700_000_000_000))
    }
    record.outcomes = [
      .accepted(Revision(rawValue: 3), items: [ItemID(rawValue: 8), .none]), .unchanged, .unknown,
      .refused(Refusal(.unknownItem, rule: "collections[0]", detail: "it is gone")),
    ].enumerated().map { index, status in
      ClientRecord.Outcome(id: KeptClient.id(100 + index), sequence: SequenceNumber(rawValue: 1), status: status)
    }
    return record
  }

  @Test func `a record is read as it was written`() throws {
    #expect(try ClientRecord(decoding: record.encoded(key: key), key: key) == record)
    #expect(try ClientRecord(decoding: ClientRecord().encoded(key: key), key: key) == ClientRecord())
  }

  @Test func `I12: every truncation and every changed byte is an error`() {
    let bytes = record.encoded(key: key)
    for count in bytes.indices {
      #expect(throws: ClientRecordError.self) { try ClientRecord(decoding: Array(bytes[..<count]), key: key) }
    }
    var random = RandomSource(seed: 5)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= UInt8(1 + random.below(255))
      #expect(throws: ClientRecordError.self) { try ClientRecord(decoding: changed, key: key) }
    }
  }

  @Test func `foreign and newer records are distinguished from damaged ones`() {
    let bytes = record.encoded(key: key)
    #expect(throws: ClientRecordError.foreign) { try ClientRecord(decoding: bytes, key: "u at 127.0.0.1:7777") }
    #expect(throws: ClientRecordError.foreign) { try ClientRecord(decoding: Array("SQLite format 3".utf8), key: key) }
    var newer = bytes
    newer[8] = 3
    #expect(throws: ClientRecordError.newer) { try ClientRecord(decoding: newer, key: key) }
    #expect(throws: ClientRecordError.damaged) { try ClientRecord(decoding: [], key: key) }
  }

  @Test func `I12: contents that no client writes are an error, even with a valid checksum`() {
    func isRefused(_ change: (inout ClientRecord) -> Void) -> Bool {
      var changed = record
      change(&changed)
      do {
        _ = try ClientRecord(decoding: changed.encoded(key: key), key: key)
        return false
      } catch {
        return error == .damaged
      }
    }
    #expect(isRefused { $0.pending[0].operation.sequence = .zero })
    #expect(isRefused { $0.pending[1].operation.sequence = $0.pending[0].operation.sequence })
    #expect(isRefused { $0.pending[2].operation.sequence = SequenceNumber(rawValue: .max) })
    #expect(isRefused { $0.epoch = Epoch(rawValue: .max) })
    #expect(isRefused { $0.session = nil })
    #expect(isRefused { $0.identity = nil })
    #expect(isRefused { $0.identity = ClientRecord.Identity(credential: [1], sessionName: []) })
    #expect(!isRefused { $0.invite = "" })
  }

  @Test func `I12: invented bytes with a valid checksum never trap`() {
    var random = RandomSource(seed: 6)
    let bytes = record.encoded(key: key)
    for _ in 1...20_000 {
      var changed = bytes
      for _ in 0...random.below(3) { changed[24 + random.below(bytes.count - 24)] = UInt8(random.below(256)) }
      var checksum = Checksum()
      checksum.combine(2)
      changed[24...].withUnsafeBytes { checksum.combine($0) }
      withUnsafeBytes(of: checksum.value.littleEndian) { changed.replaceSubrange(16..<24, with: $0) }
      if let read = try? ClientRecord(decoding: changed, key: key) {
        let client = ClientMachine(
          configuration: ClientConfiguration(table: "t"), types: SimulatedTypes(), random: RandomSource(seed: 1),
          record: read)
        #expect(client.record?.outcomes.count == read.outcomes.count)
      }
    }
  }
}
