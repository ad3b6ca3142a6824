package import BaizeTable

/// The size of operations in frames.
extension TableOperation.Kind {
  /// Returns the refusal of an operation whose frame would be too long: `TOO_MANY_ITEMS`, since only items make it so.
  ///
  /// What is sent later, with other numbers and another destination, counts at its longest.
  ///
  /// - Complexity: O(number of items, attributes and representations); an operation near the limit is encoded.
  package func frameExcess(over frameBytesMax: Int) -> Refusal? {
    guard Self.fixedBytesMax + partBytesBound > frameBytesMax else { return nil }
    let operation = TableOperation(sequence: .zero, base: .zero, epoch: Epoch(rawValue: 0), kind: self)
    let bytes = ClientMessage.operation(operation).encoded().count + Self.fixedBytesMax
    guard bytes > frameBytesMax else { return nil }
    return Refusal(
      .tooManyItems, detail: "the operation has \(bytes) bytes, and the daemon accepts at most \(frameBytesMax)")
  }

  /// An upper bound of all that an operation has besides its items, actions and faces: four numbers, the lengths of three
  /// messages, and a destination with four items.
  private static let fixedBytesMax = 128
  /// An upper bound of an item's id, and of the length of an item's message.
  private static let itemBytesMax = 10

  /// An upper bound of the size of the items, faces and names in bytes.
  private var partBytesBound: Int {
    switch self {
    case .reorder(let difference, _): difference.sources.count * Self.itemBytesMax
    case .insert(let items, _): items.reduce(0) { $0 + Self.itemBytesMax + $1.face.contentBytes }
    case .remove(let items): items.count * Self.itemBytesMax
    case .update(_, let attributes, let representations):
      attributes.reduce(Self.itemBytesMax) { $0 + $1.contentBytes }
        + representations.reduce(0) { $0 + $1.contentBytes }
    case .perform(let action, let items, _): action.utf8.count + items.count * Self.itemBytesMax
    case .undo, .unknown, .invalid: 0
    }
  }
}
