extension [UInt8] {
  /// Compares in a time that depends only on the lengths.
  package func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    guard other.count == count else { return false }
    var difference: UInt8 = 0
    for position in indices { difference |= self[position] ^ other[position] }
    return difference == 0
  }
}
