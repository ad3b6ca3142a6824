/// The first few of many values, in an order.
public struct TopList<Value> {
  /// The values so far, the first one first.
  public private(set) var all: [Value] = []
  private let countMax: Int
  private let isBefore: (Value, Value) -> Bool

  /// - Parameters:
  ///   - countMax: The number of values that are kept.
  ///   - isBefore: The order.
  public init(_ countMax: Int, _ isBefore: @escaping (Value, Value) -> Bool) {
    (self.countMax, self.isBefore) = (countMax, isBefore)
  }

  /// Adds a value if it is among the first. Of equal ones the earlier stays.
  ///
  /// - Complexity: O(number of values that are kept).
  public mutating func insert(_ value: Value) {
    if all.count >= countMax {
      guard let last = all.last, isBefore(value, last) else { return }
      all.removeLast()
    }
    all.insert(value, at: all.firstIndex { isBefore(value, $0) } ?? all.endIndex)
  }
}
