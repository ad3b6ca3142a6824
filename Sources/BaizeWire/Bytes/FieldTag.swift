/// The tag of a field: its number and the wire type of its value.
///
/// ```
/// tag, a varint:  number << 3 | wire type
/// ```
public struct FieldTag: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline let rawValue: UInt32

  @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

  /// 1 ..< 2²⁹.
  @inlinable public var number: UInt32 { rawValue >> 3 }

  @inlinable func has(_ type: WireType) -> Bool { rawValue & 7 == type.rawValue }
}
