import BaizeTable
import BaizeWire
import BaizeWorkload

/// The prepared moves of one player, which moves its own items only.
///
/// Each move takes an item to another collection, in front of another own item or to the end, so that it is legal and
/// changes something whatever the others do. In the end every item is where it began, and the moves can be repeated.
struct Route {
  private var moves: [(item: ItemID, to: CollectionHandle, end: Int)] = []
  /// Of each operation the bytes behind its base revision: the move and the epoch.
  private var bytes: [UInt8] = []
  private var homes: [ItemID: CollectionHandle] = [:]

  private static let rounds = 10

  init() {}

  /// Prepares the moves of one player. The items are divided evenly among `count` players.
  init(of player: Int, among count: Int, at state: TableState, _ epoch: Epoch, _ random: inout RandomSource) {
    let all = state.handles.flatMap(state.itemIDs)
    let items = stride(from: player, to: all.count, by: count).map { all[$0] }
    homes = Dictionary(uniqueKeysWithValues: items.compactMap { item in state.collection(of: item).map { (item, $0) } })
    var present = homes
    let collectionCount = state.type.collections.count
    for round in 0...Self.rounds {
      for item in items {
        guard let collection = present[item], let home = homes[item] else { continue }
        let other = (Int(collection.rawValue) + random.below(collectionCount - 1)) % collectionCount + 1
        let target = round < Self.rounds ? CollectionHandle(rawValue: UInt32(other)) : home
        if target == collection { continue }
        let anchor = items.first { present[$0] == target }
        present[item] = target
        append(.move(ItemList(item), to: anchor.map { .before($0, in: target) } ?? .end(of: target)), epoch)
        moves.append((item, target, bytes.count))
      }
    }
  }

  private mutating func append(_ kind: TableOperation.Kind, _ epoch: Epoch) {
    let operation = TableOperation(sequence: SequenceNumber(rawValue: 1), base: .zero, epoch: epoch, kind: kind)
    // In front are a byte each for the two lengths, and two for each of the tags and the sequence number.
    bytes += ClientMessage.operation(operation).framed().dropFirst(5)
  }

  /// Writes the frame of the operation `sequence`.
  @inline(__always)
  func write(_ sequence: UInt64, base: UInt64, pending: UInt32, into writer: inout ByteWriter) {
    let index = Int((sequence - 1) % UInt64(moves.count))
    let range = (index == 0 ? 0 : moves[index - 1].end)..<moves[index].end
    writer.delimited { writer in
      writer.message(2) { writer in
        writer.uint64(1, sequence)
        writer.uint64(2, base)
        bytes.withUnsafeBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
        writer.uint32(10, pending)
      }
    }
  }

  /// Returns the collection of each own item after the first `count` operations.
  func collections(after count: UInt64) -> [ItemID: CollectionHandle] {
    moves.prefix(Int(count % UInt64(moves.count))).reduce(into: homes) { $0[$1.item] = $1.to }
  }
}
