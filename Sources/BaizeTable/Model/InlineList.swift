/// A list that stores a single element without an allocation.
///
/// Most operations name one item and make one change. Arrays for them would account for most of the daemon's
/// allocations, and even an empty array costs a call to release it.
public enum InlineList<Element> {
  /// No element.
  case none
  /// A single element.
  case one(Element)
  /// Two elements or more; fewer after elements were removed.
  case many([Element])

  /// Creates an empty list.
  @inlinable public init() { self = .none }

  /// Creates a list of one element.
  @inlinable public init(_ element: Element) { self = .one(element) }

  /// Creates a list of the elements of a sequence, in their order.
  @inlinable public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { append(element) }
  }

  /// Adds an element at the end.
  ///
  /// - Complexity: O(1), amortized.
  @inlinable public mutating func append(_ element: Element) {
    switch consume self {
    case .none: self = .one(element)
    case .one(let first): self = .many([first, element])
    case .many(var elements):
      elements.append(element)
      self = .many(elements)
    }
  }

  /// Removes all elements.
  @inlinable public mutating func removeAll() { self = .none }
}

extension InlineList: RandomAccessCollection, MutableCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let elements): elements.count
    }
  }

  @inlinable public subscript(position: Int) -> Element {
    get {
      switch self {
      case .none: preconditionFailure("index \(position) of an empty list")
      case .one(let element):
        precondition(position == 0, "index \(position) of a list of one")
        return element
      case .many(let elements): return elements[position]
      }
    }
    set {
      switch consume self {
      case .none: preconditionFailure("index \(position) of an empty list")
      case .one:
        precondition(position == 0, "index \(position) of a list of one")
        self = .one(newValue)
      case .many(var elements):
        elements[position] = newValue
        self = .many(elements)
      }
    }
  }
}

extension InlineList: ExpressibleByArrayLiteral {
  @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension InlineList: Equatable where Element: Equatable {
  /// Returns whether two lists have the same elements, whichever way they are stored.
  @inlinable public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

extension InlineList: Hashable where Element: Hashable {
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension InlineList: Sendable where Element: Sendable {}

extension InlineList: CustomStringConvertible {
  public var description: String { Array(self).description }
}

/// Item ids in a meaningful order.
public typealias ItemList = InlineList<ItemID>
