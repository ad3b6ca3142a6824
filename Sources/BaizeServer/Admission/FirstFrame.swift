import BaizeSync
import BaizeWire

/// The first frame of a connection, which decides its shard.
enum FirstFrame {
  /// Not enough bytes yet.
  case incomplete
  /// The participant joins a table of another shard.
  case elsewhere(shard: Int, Hello)
  /// The table is on this shard, or the message is invalid and this shard's machine answers it.
  case here(Hello?)
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
      guard case .hello(let hello)? = Self.message(UnsafeRawBufferPointer(rebasing: bytes[frame])) else {
        self = .here(nil)
        return
      }
      let home = ShardMachine.shard(ofTable: hello.table, among: count)
      self = home == shard ? .here(hello) : .elsewhere(shard: home, hello)
    } catch {
      self = .malformed(error)
    }
  }

  /// A malformed message is answered on this shard, whose machine finds the same error.
  private static func message(_ frame: UnsafeRawBufferPointer) -> ClientMessage? {
    do throws(DecodeError) { return try ClientMessage(decoding: frame) } catch { return nil }
  }
}
