extension String {
  /// Returns whether both texts have the same bytes of UTF-8, which is what Baize means by equal texts.
  ///
  /// Swift's `==` follows canonical equivalence instead, by which an "é" equals an "e" and an accent. Clients in other
  /// languages compare bytes, and so does the view hash.
  @inlinable package func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Texts of Swift's own are contiguous.
    let isEqual = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { other in own.hasBytes(of: other) }
    }
    return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns whether one of `texts` has the same bytes.
  package func isAmong(_ texts: [String]) -> Bool { texts.contains { hasBytes(of: $0) } }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns whether both have the same bytes, compared eight at a time; `other` has as many.
  @inlinable func hasBytes(of other: Self) -> Bool {
    let (own, other) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var offset = 0
    while offset + 8 <= own.count {
      guard
        own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    return own[offset...].elementsEqual(other[offset...])
  }
}
