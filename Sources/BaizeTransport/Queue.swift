/// A first-in-first-out queue in one array, whose head moves up and is dropped when half of the array is behind it.
package struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }
  package var isEmpty: Bool { head == elements.count }
  package var first: Element? { isEmpty ? nil : elements[head] }
  package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  /// - Complexity: O(count).
  package func contains(where predicate: (Element) -> Bool) -> Bool {
    elements[head...].contains { $0.map(predicate) ?? false }
  }

  package mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the element that has waited longest.
  ///
  /// - Complexity: O(1), amortised.
  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
