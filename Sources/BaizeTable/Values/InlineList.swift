/// A list that keeps its first element in place, so that the common list of one costs no allocation.
///
/// An operation mostly names one item and makes one change; a heap array for each would be the larger part of the
/// daemon's allocations. More than one element spill into an array.
public struct InlineList<Element> {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element]

  /// An empty list.
  @inlinable public init() {
    first = nil
    rest = []
  }

  /// A list of one.
  @inlinable public init(_ element: Element) {
    first = element
    rest = []
  }

  /// The elements of `elements`, in their order.
  @inlinable public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { append(element) }
  }

  /// Adds an element at the end.
  ///
  /// - Complexity: O(1), amortized.
  @inlinable public mutating func append(_ element: Element) {
    if first == nil { first = element } else { rest.append(element) }
  }

  /// Removes all elements.
  @inlinable public mutating func removeAll() {
    first = nil
    rest.removeAll()
  }
}

extension InlineList: RandomAccessCollection, MutableCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { first == nil ? 0 : rest.count + 1 }

  @inlinable public subscript(position: Int) -> Element {
    get {
      guard position == 0 else { return rest[position - 1] }
      guard let first else { preconditionFailure("index 0 of an empty list") }
      return first
    }
    set {
      if position == 0 {
        precondition(first != nil, "index 0 of an empty list")
        first = newValue
      } else {
        rest[position - 1] = newValue
      }
    }
  }
}

extension InlineList: ExpressibleByArrayLiteral {
  @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension InlineList: Equatable where Element: Equatable {}
extension InlineList: Hashable where Element: Hashable {}
extension InlineList: Sendable where Element: Sendable {}

extension InlineList: CustomStringConvertible {
  public var description: String { Array(self).description }
}

/// Item ids in an order that means something.
public typealias ItemList = InlineList<ItemID>
