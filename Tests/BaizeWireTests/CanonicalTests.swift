import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// The direct paths of the most frequent messages, compared with the general ones.
@Suite(.dedicatedThreads) struct CanonicalTests {
  /// Every value of every byte, every truncation, and every byte doubled or left out: the result, or the error, is that
  /// of the general decoder, which an unknown field at the front enforces.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `a canonical reorder is decoded as in any other form`(_ seed: UInt64) {
    var random = SplitMix64(state: seed)
    let bytes = ClientMessage.operation(Self.reorder(&random)).encoded()
    #expect(Self.isCanonical(bytes))
    check(bytes)
    for position in bytes.indices {
      check(Array(bytes[..<position]))
      check(Array(bytes[..<position] + bytes[(position + 1)...]))
      check(Array(bytes[...position] + bytes[position...]))
      for value in 0...255 as ClosedRange<UInt8> {
        var changed = bytes
        changed[position] = value
        check(changed)
      }
    }
  }

  @Test func `other operations are left to the general decoder`() {
    var canonical: [String] = []
    for vector in Vector.client {
      check(vector.bytes)
      if Self.isCanonical(vector.bytes) { canonical.append(vector.name) }
    }
    #expect(canonical.allSatisfy { $0.hasPrefix("client.operation.reorder") })
    #expect(canonical.contains("client.operation.reorder.one"))
    for named in ["start", "placed", "many"] { #expect(!canonical.contains("client.operation.reorder.\(named)")) }
    #expect(!Self.isCanonical([]))
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `a move is encoded like any diff`(_ seed: UInt64) {
    var random = SplitMix64(state: seed)
    let reorder = Self.reorder(&random)
    guard case .reorder(let difference, _) = reorder.kind else { return }
    var placement = Placement(
      collection: difference.destination.collection, position: difference.destination.position)
    if seed.isMultiple(of: 7) {
      placement.gone = Vacancy(item: difference.sources[0], revision: reorder.base)
    }
    let diff = Diff(
      revision: reorder.base, author: SessionID(rawValue: random.next() >> (random.next() % 64)),
      sequence: reorder.sequence, changes: [.moved(difference.sources, placement)],
      operation: seed.isMultiple(of: 3) ? .cancel : .move, isRebased: seed.isMultiple(of: 2),
      isRedirected: seed.isMultiple(of: 5))
    var writer = FrameWriter(capacity: 0)
    for isAuthor in [true, false] {
      let range = writer.frame(diff, for: SeatNumber(rawValue: UInt32(seed % 3)), isAuthor: isAuthor)
      #expect(writer.withUnsafeBytes { Array($0[range]) } == ServerMessage.diff(diff).framed())
    }
  }

  private func check(_ bytes: [UInt8]) {
    let result = Result { () throws(DecodeError) in try ClientMessage(decoding: bytes) }
    let general = Result { () throws(DecodeError) in try ClientMessage(decoding: Self.unknownField + bytes) }
    if result != general { Issue.record("\(bytes.hex): \(result), not \(general)") }
    let direct = bytes.withUnsafeBytes { SingleMove(canonical: $0)?.operation }
    if let direct, general != .success(.operation(direct)) { Issue.record("\(bytes.hex): \(direct), not \(general)") }
  }

  private static let unknownField: [UInt8] = [0x78, 0x00]

  private static func isCanonical(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { SingleMove(canonical: $0) } != nil
  }

  /// A reorder of one item with numbers of all sizes, zero included.
  private static func reorder(_ random: inout SplitMix64) -> TableOperation {
    func number() -> UInt64 { random.next() % 4 == 0 ? 0 : random.next() >> (random.next() % 64) }
    let destination = Destination(
      collection: CollectionHandle(rawValue: UInt32(truncatingIfNeeded: number())),
      position: Position(anchor: ItemID(rawValue: number())),
      after: [.unspecified, .start, .item(ItemID(rawValue: 1 + number() >> 1))][Int(random.next() % 3)])
    return TableOperation(
      sequence: SequenceNumber(rawValue: number()), base: Revision(rawValue: number()),
      epoch: Epoch(rawValue: number()), unanswered: UInt32(truncatingIfNeeded: number()),
      kind: .move(
        ItemList(ItemID(rawValue: number())), to: destination,
        suggested: DropOperation.Set(rawValue: UInt32(truncatingIfNeeded: number()))))
  }
}
