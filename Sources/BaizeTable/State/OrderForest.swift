/// The orders of all collections of a table: one weight-balanced tree each, over the table's item slots.
///
/// A slot is a node, so that an item's place is found by walking up from it and the k-th item by walking down, both in
/// O(log n); nothing else maps items to places. The balance is that of Y. Hirai and K. Yamamoto, "Balancing weight-balanced
/// trees" (2011), with Δ = 3 and Γ = 2: the depth has a bound that no sequence of moves can break.
///
/// A tree is named by its root, which the collection keeps; −1 is the empty tree and no node.
struct OrderForest: Sendable {
  private struct Node {
    var left: Int32 = -1
    var right: Int32 = -1
    var parent: Int32 = -1
    var count: Int32 = 1
    /// The subtree's sequence hash; ``unhashed`` where it must be computed again.
    var hash: UInt64 = OrderForest.unhashed

    /// Notes that the subtree is another now.
    mutating func change(count: Int) {
      self.count = Int32(truncatingIfNeeded: count)
      hash = OrderForest.unhashed
    }
  }

  private static let unhashed = UInt64.max

  private var nodes = PagedArray<Node>()

  /// A slot for one more item, not in any tree.
  mutating func appendSlot() -> Int32 { nodes.append(Node()) }

  // MARK: Looking up

  /// How many items a tree has.
  func count(_ root: Int32) -> Int { root < 0 ? 0 : Int(nodes[root].count) }

  /// How many items of its tree stand before `slot`.
  func index(of slot: Int32) -> Int {
    var index = leftCount(slot)
    var node = slot
    while true {
      let parent = nodes[node].parent
      if parent < 0 { return index }
      if nodes[parent].right == node { index += leftCount(parent) + 1 }
      node = parent
    }
  }

  /// The item with `index` items before it.
  ///
  /// - Parameter index: 0 ..< count of the tree.
  func slot(at index: Int, in root: Int32) -> Int32 {
    precondition(index >= 0 && index < count(root), "index \(index) out of bounds 0 ..< \(count(root))")
    var remaining = index
    var node = root
    while true {
      let before = leftCount(node)
      if remaining == before { return node }
      if remaining < before {
        node = nodes[node].left
      } else {
        remaining -= before + 1
        node = nodes[node].right
      }
    }
  }

  func first(in root: Int32) -> Int32 { root < 0 ? -1 : leftmost(root) }

  func last(in root: Int32) -> Int32 { root < 0 ? -1 : rightmost(root) }

  /// The item that follows `slot`, or −1.
  func next(_ slot: Int32) -> Int32 {
    if nodes[slot].right >= 0 { return leftmost(nodes[slot].right) }
    var node = slot
    while true {
      let parent = nodes[node].parent
      if parent < 0 || nodes[parent].left == node { return parent }
      node = parent
    }
  }

  /// The item that stands before `slot`, or −1.
  func previous(_ slot: Int32) -> Int32 {
    if nodes[slot].left >= 0 { return rightmost(nodes[slot].left) }
    var node = slot
    while true {
      let parent = nodes[node].parent
      if parent < 0 || nodes[parent].right == node { return parent }
      node = parent
    }
  }

  // MARK: Changing

  /// Puts `slot`, which is in no tree, before `anchor` in the tree `root`; at its end where `anchor` is −1.
  mutating func insert(_ slot: Int32, before anchor: Int32, in root: inout Int32) {
    guard root >= 0 else {
      nodes[slot] = Node()
      root = slot
      return
    }
    let left = anchor < 0 ? root : nodes[anchor].left
    let parent: Int32
    if left < 0 {
      parent = anchor
      nodes[parent].left = slot
    } else {
      parent = rightmost(left)
      nodes[parent].right = slot
    }
    nodes[slot] = Node(parent: parent)
    root = rebalanced(from: parent)
  }

  /// Takes `slot` out of the tree `root`.
  mutating func remove(_ slot: Int32, from root: inout Int32) {
    let node = nodes[slot]
    guard node.left >= 0, node.right >= 0 else {
      replace(slot, with: node.left >= 0 ? node.left : node.right)
      root = node.parent >= 0 ? rebalanced(from: node.parent) : max(node.left, node.right)
      return
    }
    // The next item has no left child. It leaves its own place and takes the slot's.
    let heir = leftmost(node.right)
    let heirParent = nodes[heir].parent
    replace(heir, with: nodes[heir].right)
    let old = nodes[slot]
    nodes[heir] = old
    adopt(old.left, by: heir)
    adopt(old.right, by: heir)
    replace(slot, with: heir)
    root = rebalanced(from: heirParent == slot ? heir : heirParent)
  }

  /// A balanced tree of `slots`, which are in no tree, in their order. Gives its root.
  ///
  /// - Complexity: O(number of slots).
  mutating func build(_ slots: ArraySlice<Int32>) -> Int32 {
    guard !slots.isEmpty else { return -1 }
    let middle = slots.startIndex + slots.count / 2
    let left = build(slots[..<middle])
    let right = build(slots[(middle + 1)...])
    let root = slots[middle]
    nodes[root] = Node(left: left, right: right, count: Int32(slots.count))
    adopt(left, by: root)
    adopt(right, by: root)
    return root
  }

  // MARK: Hashing

  /// The sequence hash of a tree: Σ h(idᵢ)·Bⁿ⁻¹⁻ⁱ modulo 2⁶¹ − 1 (see ``ViewHash``). It depends on the order of the
  /// items alone, not on the tree's shape.
  ///
  /// - Complexity: O(c log n) for c changes since it was last computed, at most O(n).
  mutating func hash(_ root: Int32, id: (Int32) -> ItemID) -> UInt64 {
    guard root >= 0 else { return 0 }
    let node = nodes[root]
    guard node.hash == Self.unhashed else { return node.hash }
    let left = hash(node.left, id: id)
    let right = hash(node.right, id: id)
    let throughRoot = ViewHash.append(ViewHash.itemHash(id(root)), to: left)
    let whole = ViewHash.concatenate(throughRoot, right, rightCount: count(node.right))
    nodes[root].hash = whole
    return whole
  }

  /// Makes the hashes above an item be computed again, after its id has changed.
  mutating func invalidateHash(of slot: Int32) {
    var node = slot
    while node >= 0 {
      nodes[node].hash = Self.unhashed
      node = nodes[node].parent
    }
  }

  // MARK: Balance

  /// Walks from `start` to the root, corrects counts and balance on the way, and gives the root.
  private mutating func rebalanced(from start: Int32) -> Int32 {
    var node = start
    while true {
      let top = balanced(node)
      let parent = nodes[top].parent
      if parent < 0 { return top }
      node = parent
    }
  }

  /// Corrects the count of `node` and, if one side is too heavy, rotates. Gives the subtree's new top.
  private mutating func balanced(_ node: Int32) -> Int32 {
    let old = nodes[node]
    let left = old.left
    let right = old.right
    let leftWeight = weight(left)
    let rightWeight = weight(right)
    nodes[node].change(count: leftWeight + rightWeight - 1)
    if rightWeight > 3 * leftWeight {
      if weight(nodes[right].left) >= 2 * weight(nodes[right].right) { rotateRight(right) }
      return rotateLeft(node)
    }
    if leftWeight > 3 * rightWeight {
      if weight(nodes[left].right) >= 2 * weight(nodes[left].left) { rotateLeft(left) }
      return rotateRight(node)
    }
    return node
  }

  @discardableResult
  private mutating func rotateLeft(_ node: Int32) -> Int32 {
    let top = nodes[node].right
    let middle = nodes[top].left
    replace(node, with: top)
    nodes[node].right = middle
    adopt(middle, by: node)
    nodes[top].left = node
    nodes[node].parent = top
    recount(node)
    recount(top)
    return top
  }

  @discardableResult
  private mutating func rotateRight(_ node: Int32) -> Int32 {
    let top = nodes[node].left
    let middle = nodes[top].right
    replace(node, with: top)
    nodes[node].left = middle
    adopt(middle, by: node)
    nodes[top].right = node
    nodes[node].parent = top
    recount(node)
    recount(top)
    return top
  }

  // MARK: Links

  private func weight(_ node: Int32) -> Int { node < 0 ? 1 : Int(nodes[node].count) + 1 }

  private func leftCount(_ node: Int32) -> Int { count(nodes[node].left) }

  private func leftmost(_ start: Int32) -> Int32 {
    var node = start
    while nodes[node].left >= 0 { node = nodes[node].left }
    return node
  }

  private func rightmost(_ start: Int32) -> Int32 {
    var node = start
    while nodes[node].right >= 0 { node = nodes[node].right }
    return node
  }

  private mutating func adopt(_ child: Int32, by parent: Int32) {
    if child >= 0 { nodes[child].parent = parent }
  }

  /// Puts `heir` (or nothing) where `node` hangs on its parent. The node's own links stay as they are.
  private mutating func replace(_ node: Int32, with heir: Int32) {
    let parent = nodes[node].parent
    if heir >= 0 { nodes[heir].parent = parent }
    guard parent >= 0 else { return }
    if nodes[parent].left == node { nodes[parent].left = heir } else { nodes[parent].right = heir }
  }

  private mutating func recount(_ node: Int32) {
    nodes[node].change(count: weight(nodes[node].left) + weight(nodes[node].right) - 1)
  }
}

extension OrderForest {
  /// Whether the tree `root` keeps every promise: links, counts and balance. For tests.
  func isSound(_ root: Int32) -> Bool {
    guard root >= 0 else { return true }
    let node = nodes[root]
    for child in [node.left, node.right] where child >= 0 {
      guard nodes[child].parent == root, isSound(child) else { return false }
    }
    let left = weight(node.left)
    let right = weight(node.right)
    return Int(node.count) == left + right - 1 && left <= 3 * right && right <= 3 * left
  }
}
