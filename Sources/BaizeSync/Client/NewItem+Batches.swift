package import BaizeTable

extension [NewItem] {
  /// Divides new items into batches that each fit into one operation, in their order.
  ///
  /// An item that is too large by itself is a batch of its own, which is refused.
  ///
  /// - Parameter frameBytesMax: The maximum size of a frame to the daemon.
  /// - Complexity: O(number of attributes and representations).
  package func batches(frameBytesMax: Int) -> [ArraySlice<NewItem>] {
    let bytesMax = Swift.min(TableLimits.operationFaceBytesMax, Swift.max(0, frameBytesMax - Self.frameReserveBytes))
    var batches: [ArraySlice<NewItem>] = []
    var (first, bytes) = (0, 0)
    for (index, item) in enumerated() {
      // Never less than on the wire.
      let itemBytes = TableLimits.itemContentBytes + item.face.contentBytes
      if index > first, index - first == TableLimits.itemsPerOperationMax || bytes + itemBytes > bytesMax {
        batches.append(self[first..<index])
        (first, bytes) = (index, 0)
      }
      bytes += itemBytes
    }
    if first < count { batches.append(self[first...]) }
    return batches
  }

  /// The part of a frame that is left for all but the items.
  private static var frameReserveBytes: Int { 256 }
}
