import BaizeSync
import BaizeWire

/// What the first bytes of a connection say about where it belongs.
enum FirstFrame {
  /// Not enough to tell.
  case incomplete
  /// The participant wants to go to a table of another shard.
  case elsewhere(shard: Int, Hello)
  /// The table is here, or the machine will say what is wrong.
  case here(Hello?)
  /// No frame, or one that is too long for a hello.
  case garbage(DecodeError)

  /// - Parameters:
  ///   - shard: Who asks.
  ///   - count: How many shards there are.
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
      self = .garbage(error)
    }
  }

  /// What is malformed is answered where it is, by the machine, which will find the same.
  private static func message(_ frame: UnsafeRawBufferPointer) -> ClientMessage? {
    do throws(DecodeError) { return try ClientMessage(decoding: frame) } catch { return nil }
  }
}
