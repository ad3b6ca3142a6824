/// A first-in, first-out queue in an array, whose removed elements are dropped when they are half of it.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  /// O(1), amortised.
  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the first element. O(1), amortised.
  mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
    head += 1
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
