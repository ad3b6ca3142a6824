extension String {
  /// Returns whether both texts have the same bytes of UTF-8, which is what Baize means by equal texts.
  ///
  /// Swift's `==` follows canonical equivalence instead, by which an "é" equals an "e" and an accent. Clients in other
  /// languages compare bytes, and so does the view hash.
  @inlinable package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Returns whether one of `texts` has the same bytes.
  package func isAmong(_ texts: [String]) -> Bool { texts.contains { hasBytes(of: $0) } }
}
