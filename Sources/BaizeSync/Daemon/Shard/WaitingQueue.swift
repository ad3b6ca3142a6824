/// A queue of elements with different keys, from which each may also be removed by its key.
///
/// A doubly linked list, whose links are keys: every operation but ``first(where:)`` takes constant time, and what is removed
/// leaves nothing behind.
struct WaitingQueue<Key: Hashable, Element> {
  private struct Node {
    var element: Element
    var previous: Key?
    var next: Key?
  }

  private var nodes: [Key: Node] = [:]
  private(set) var firstKey: Key?
  private var last: Key?

  var count: Int { nodes.count }
  var isEmpty: Bool { nodes.isEmpty }

  /// Appends an element.
  ///
  /// - Precondition: No element has the key.
  mutating func append(_ element: Element, for key: Key) {
    let replaced = nodes.updateValue(Node(element: element, previous: last), forKey: key)
    precondition(replaced == nil, "\(key) is in the queue already")
    if let last { nodes[last]?.next = key } else { firstKey = key }
    last = key
  }

  /// Puts an element in front of all others.
  ///
  /// - Precondition: No element has the key.
  mutating func prepend(_ element: Element, for key: Key) {
    let replaced = nodes.updateValue(Node(element: element, next: firstKey), forKey: key)
    precondition(replaced == nil, "\(key) is in the queue already")
    if let firstKey { nodes[firstKey]?.previous = key } else { last = key }
    firstKey = key
  }

  /// The first element; one that is set replaces it.
  ///
  /// - Precondition: An element that is set has one to replace.
  var first: Element? {
    get { firstKey.flatMap { nodes[$0]?.element } }
    set { if let firstKey, let newValue { nodes[firstKey]?.element = newValue } }
  }

  @discardableResult
  mutating func popFirst() -> (key: Key, element: Element)? {
    guard let firstKey, let element = remove(firstKey) else { return nil }
    return (firstKey, element)
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Element? {
    guard let node = nodes.removeValue(forKey: key) else { return nil }
    if let previous = node.previous { nodes[previous]?.next = node.next } else { firstKey = node.next }
    if let next = node.next { nodes[next]?.previous = node.previous } else { last = node.previous }
    return node.element
  }

  /// Returns the first element with a property, and its key.
  ///
  /// - Complexity: O(n).
  func first(where isWanted: (Element) -> Bool) -> (key: Key, element: Element)? {
    var key = firstKey
    while let candidate = key, let node = nodes[candidate] {
      if isWanted(node.element) { return (candidate, node.element) }
      key = node.next
    }
    return nil
  }
}
