import BaizeSync
import BaizeWire

/// The first frame of a connection, which decides its shard. It is not decoded here: only the table's shard does that.
enum FirstFrame {
  /// Not enough bytes yet.
  case incomplete
  /// The participant joins a table of another shard.
  case elsewhere(shard: Int, table: String)
  /// The table is on this shard, or there is none and this shard's machine answers.
  case here(table: String?)
  /// No frame, or one that is too long for a hello.
  case malformed(DecodeError)

  /// - Parameters:
  ///   - shard: The shard that the connection is on.
  ///   - count: The number of shards.
  init(_ bytes: UnsafeRawBufferPointer, _ reader: FrameReader, shard: Int, of count: Int) {
    do throws(DecodeError) {
      guard let frame = try reader.next(in: bytes) else {
        self = .incomplete
        return
      }
      guard let table = Hello.table(inFrame: UnsafeRawBufferPointer(rebasing: bytes[frame])) else {
        self = .here(table: nil)
        return
      }
      let home = ShardMachine.shard(ofTable: table, among: count)
      self = home == shard ? .here(table: table) : .elsewhere(shard: home, table: table)
    } catch {
      self = .malformed(error)
    }
  }
}
