internal import BaizeSync

extension Checksum {
  /// Returns the checksum of a row, since SQLite has none. It includes the row's key, so that a row in another row's place is
  /// detected.
  static func of(_ bytes: ArraySlice<UInt8>, _ key: Int64...) -> Int64 {
    var checksum = Checksum()
    for part in key { checksum.combine(UInt64(bitPattern: part)) }
    bytes.withUnsafeBytes { checksum.combine($0) }
    return checksum.value
  }
}
