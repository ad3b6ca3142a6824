/// The encoding of a field's value. (Types 3 and 4, groups, are malformed here.)
public enum WireType: UInt32, Hashable, Sendable, BitwiseCopyable {
  /// A number of one to ten bytes.
  case varint = 0
  case fixed64 = 1
  /// A varint length and that many bytes: texts, bytes, messages, packed numbers.
  case delimited = 2
  case fixed32 = 5
}
