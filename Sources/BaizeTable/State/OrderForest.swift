/// The orders of all collections of a table: one B+ tree each, whose leaves hold item slots.
///
/// A collection of up to ``OrderNode/width`` items is one leaf: a flat array. Each level above costs a change a few additions, so
/// that a move among a million items costs hardly more than among a hundred. An item refers to its leaf; its position
/// in the leaf is searched.
///
/// ```
/// root            parent, child count, item total, hash │ child child child …
///                                                          │     └─▶ …
/// leaf            parent, count,       total,      hash │ slot slot slot …      records[slot].leaf = leaf
/// ```
///
/// A node that falls below a quarter of the width is merged with a neighbor if both fit into three quarters, so that no
/// sequence of moves can drive up depth or memory. (R. Bayer and E. McCreight, "Organization and maintenance of large
/// ordered indices", 1972; D. Comer, "The ubiquitous B-tree", 1979.)
///
/// A tree is identified by its root, which the collection keeps; −1 is the empty tree.
struct OrderForest: Sendable {
  private static let mergeBelow = 8
  private static let mergedMax = 24
  /// The number of children of nodes that are built at once: leaves room for insertions, and is not merged soon.
  private static let builtCount = 24

  var nodes = OrderNodes()
  /// The items by slot. Each refers to its leaf, so that a move finds all of an item in one place.
  var records = PagedArray<ItemRecord>()

  /// The number of nodes whose hashes were computed.
  var nodesHashed = 0

  /// The size of the pages that changes have copied, in bytes (see ``PagedArray``).
  var copiedBytes: Int { nodes.storage.copiedBytes + records.copiedBytes }

  /// Makes room for the first items and trees, and for no more.
  mutating func reserve(items: Int, trees: Int) {
    records.reserve(items)
    nodes.storage.reserve(trees)
  }

  /// Adds an item, which is in no tree, and returns its slot.
  mutating func append(_ record: ItemRecord) -> Int32 { records.append(record) }

  // MARK: Lookup

  /// Returns the number of items in a tree.
  func count(_ root: Int32) -> Int { root < 0 ? 0 : Int(node(root).pointee.total) }

  /// Returns the number of items before `slot` in its tree.
  ///
  /// - Complexity: O(log n).
  func index(of slot: Int32) -> Int {
    var current = leaf(slot)
    var index = node(current).position(of: slot)
    while node(current).pointee.parent >= 0 {
      let parent = node(node(current).pointee.parent)
      for sibling in 0..<parent.position(of: current) { index += Int(node(parent.child(sibling)).pointee.total) }
      current = node(current).pointee.parent
    }
    return index
  }

  /// Returns a number that orders the items of a tree as they are. It is cheaper than ``index(of:)``, which also reads the
  /// siblings.
  ///
  /// - Complexity: O(log n).
  func rank(of slot: Int32) -> UInt64 {
    var (child, parent, rank, shift) = (slot, leaf(slot), 0 as UInt64, 0 as UInt64)
    while parent >= 0 {
      rank |= UInt64(node(parent).position(of: child)) << shift
      (child, parent, shift) = (parent, node(parent).pointee.parent, shift + 5)
    }
    return rank
  }

  /// Returns the item with `index` items before it.
  ///
  /// - Parameter index: 0 ..< count of the tree.
  /// - Complexity: O(log n).
  func slot(at index: Int, in root: Int32) -> Int32 {
    precondition(index >= 0 && index < count(root), "index \(index) out of bounds 0 ..< \(count(root))")
    var remaining = index
    var current = node(root)
    while current.pointee.level > 0 {
      var position = 0
      var child = node(current.child(position))
      while remaining >= Int(child.pointee.total) {
        remaining -= Int(child.pointee.total)
        position += 1
        child = node(current.child(position))
      }
      current = child
    }
    return current.child(remaining)
  }

  func first(in root: Int32) -> Int32 { root < 0 ? -1 : leftmost(root) }

  func last(in root: Int32) -> Int32 { root < 0 ? -1 : rightmost(root) }

  /// Returns the item behind `slot`, or −1.
  func next(_ slot: Int32) -> Int32 { neighbor(of: slot, isNext: true) }

  /// Returns the item before `slot`, or −1.
  func previous(_ slot: Int32) -> Int32 { neighbor(of: slot, isNext: false) }

  /// Returns the leaf of `slot`, and its position there.
  @inline(__always) func spot(of slot: Int32) -> (leaf: Int32, position: Int) {
    let leaf = leaf(slot)
    return (leaf, node(leaf).position(of: slot))
  }

  /// Returns the item behind the one at a position of a leaf, or −1.
  @inline(__always) func next(_ leaf: Int32, _ position: Int) -> Int32 {
    let node = node(leaf)
    return position + 1 < Int(node.pointee.count)
      ? node.child(position + 1) : node.pointee.parent < 0 ? -1 : next(node.child(position))
  }

  @inline(__always) private func neighbor(of slot: Int32, isNext: Bool) -> Int32 {
    var (child, parent) = (slot, leaf(slot))
    repeat {
      let node = node(parent)
      let position = node.position(of: child) + (isNext ? 1 : -1)
      if isNext ? position < Int(node.pointee.count) : position >= 0 {
        let found = node.child(position)
        return node.pointee.level == 0 ? found : isNext ? leftmost(found) : rightmost(found)
      }
      (child, parent) = (parent, node.pointee.parent)
    } while parent >= 0
    return -1
  }

  // MARK: Changing

  /// Puts `slot`, which is in no tree, before `anchor` in the tree `root`; at its end if `anchor` is −1.
  ///
  /// - Complexity: O(log n).
  mutating func insert(_ slot: Int32, before anchor: Int32, in root: inout Int32) {
    makeUnique()
    insertUnique(slot, before: anchor, in: &root)
  }

  /// Inserts as ``insert(_:before:in:)`` does, after ``makeUnique()``.
  @inline(__always) mutating func insertUnique(_ slot: Int32, before anchor: Int32, in root: inout Int32) {
    if root < 0 { root = nodes.make(level: 0) }
    let leaf = anchor >= 0 ? self.leaf(anchor) : rightmostLeaf(root)
    let position = anchor >= 0 ? node(leaf).position(of: anchor) : Int(node(leaf).pointee.count)
    insert(slot, at: position, into: leaf, items: 1, root: &root)
  }

  /// Takes `slot` out of the tree `root`.
  ///
  /// - Complexity: O(log n).
  mutating func remove(_ slot: Int32, from root: inout Int32) {
    makeUnique()
    let (leaf, position) = spot(of: slot)
    removeUnique(slot, in: leaf, position, from: &root)
  }

  /// Removes as ``remove(_:from:)`` does, after ``makeUnique()``.
  @inline(__always) mutating func removeUnique(_ slot: Int32, in leaf: Int32, _ position: Int, from root: inout Int32) {
    records.writableAddress(of: slot).pointee.leaf = -1
    remove(at: position, from: leaf, items: 1, root: &root)
  }

  /// Builds a tree of `slots`, which are in no tree, in their order, and returns its root.
  ///
  /// - Complexity: O(number of slots).
  mutating func build(_ slots: ArraySlice<Int32>) -> Int32 {
    guard !slots.isEmpty else { return -1 }
    makeUnique()
    var (level, children) = (Int32(0), Array(slots))
    repeat {
      var parents: [Int32] = []
      for start in stride(from: 0, to: children.count, by: Self.builtCount) {
        let parent = nodes.make(level: level)
        for child in children[start..<min(children.count, start + Self.builtCount)] {
          append(child, to: parent)
        }
        parents.append(parent)
      }
      (level, children) = (level + 1, parents)
    } while children.count > 1
    return children[0]
  }

  /// Makes the storage unique, so that changes do not affect copies of the forest.
  @inline(__always) mutating func makeUnique() {
    nodes.storage.makeUnique()
    records.makeUnique()
  }

  // MARK: Nodes, after `makeUnique()`

  @inline(__always) func node(_ index: Int32) -> UnsafeMutablePointer<OrderNode> { nodes.storage.address(of: index) }

  @inline(__always) func leaf(_ slot: Int32) -> Int32 { records.address(of: slot).pointee.leaf }

  @inline(__always) func writable(_ index: Int32) -> UnsafeMutablePointer<OrderNode> {
    nodes.storage.writableAddress(of: index)
  }

  /// Inserts a child that adds `items` items to the tree into a node, which is split if it is full.
  private mutating func insert(_ child: Int32, at index: Int, into parent: Int32, items: Int32, root: inout Int32) {
    var (parent, position) = (parent, index)
    if Int(node(parent).pointee.count) == OrderNode.width {
      (parent, position) = split(parent, at: position, root: &root)
    }
    let changed = writable(parent)
    changed.insertChild(child, at: position)
    adopt(child, by: parent, level: changed.pointee.level)
    add(items, from: parent)
  }

  /// Splits a full node, and returns where to insert a child that belonged at `position`.
  ///
  /// Behind its last child a node is split into a full and an empty one, so that appending fills the nodes.
  private mutating func split(
    _ left: Int32, at position: Int, root: inout Int32
  ) -> (parent: Int32, position: Int) {
    let kept = position == OrderNode.width ? OrderNode.width : OrderNode.width / 2
    let right = nodes.make(level: node(left).pointee.level)
    move(from: left, OrderNode.width - kept, to: right)
    let moved = node(right).pointee.total
    if left == root {
      root = nodes.make(level: node(left).pointee.level + 1)
      append(left, to: root)
    } else {
      add(-moved, from: node(left).pointee.parent)
    }
    let parent = node(left).pointee.parent
    insert(right, at: node(parent).position(of: left) + 1, into: parent, items: moved, root: &root)
    return position <= kept && position < OrderNode.width ? (left, position) : (right, position - kept)
  }

  /// Removes a child, with which `items` items leave the tree, from a node, which is merged or freed if it has few
  /// left.
  private mutating func remove(at position: Int, from parent: Int32, items: Int32, root: inout Int32) {
    let changed = writable(parent)
    changed.removeChild(at: position)
    add(-items, from: parent)
    let count = Int(changed.pointee.count)
    if changed.pointee.parent < 0 {
      guard count == 0 || (count == 1 && changed.pointee.level > 0) else { return }
      root = count == 0 ? -1 : changed.child(0)
      if root >= 0 { writable(root).pointee.parent = -1 }
      nodes.free(parent)
    } else if count == 0 {
      let above = changed.pointee.parent
      let position = node(above).position(of: parent)
      nodes.free(parent)
      remove(at: position, from: above, items: 0, root: &root)
    } else if count < Self.mergeBelow {
      mergeNeighbor(of: parent, root: &root)
    }
  }

  /// Merges a node with the next or previous one under the same parent, if both fit into one.
  private mutating func mergeNeighbor(of index: Int32, root: inout Int32) {
    let parent = node(index).pointee.parent
    let position = node(parent).position(of: index)
    for left in [position, position - 1] where left >= 0 && left + 1 < Int(node(parent).pointee.count) {
      let (leftNode, rightNode) = (node(parent).child(left), node(parent).child(left + 1))
      let count = Int(node(rightNode).pointee.count)
      guard Int(node(leftNode).pointee.count) + count <= Self.mergedMax else { continue }
      move(from: rightNode, count, to: leftNode)
      nodes.free(rightNode)
      remove(at: left + 1, from: parent, items: 0, root: &root)
      return
    }
  }

  /// Moves the last `count` children of a node to the end of another.
  private mutating func move(from source: Int32, _ count: Int, to destination: Int32) {
    let first = Int(node(source).pointee.count) - count
    for position in first..<first + count { append(node(source).child(position), to: destination) }
    let changed = writable(source)
    changed.pointee.count = Int32(truncatingIfNeeded: first)
    changed.pointee.total -= changed.pointee.level == 0 ? Int32(truncatingIfNeeded: count) : 0
    if changed.pointee.level > 0 {
      changed.pointee.total = (0..<first).reduce(0) { $0 + node(changed.child($1)).pointee.total }
    }
    changed.pointee.hash = OrderNode.unhashed
  }

  /// Appends a child to a node, and adds its items to that node's total alone.
  private mutating func append(_ child: Int32, to parent: Int32) {
    let changed = writable(parent)
    changed.insertChild(child, at: Int(changed.pointee.count))
    let level = changed.pointee.level
    adopt(child, by: parent, level: level)
    changed.pointee.total += level == 0 ? 1 : node(child).pointee.total
    changed.pointee.hash = OrderNode.unhashed
  }

  @inline(__always) private mutating func adopt(_ child: Int32, by parent: Int32, level: Int32) {
    if level == 0 {
      records.writableAddress(of: child).pointee.leaf = parent
    } else {
      writable(child).pointee.parent = parent
    }
  }

  /// Adds to the totals of a node and its ancestors, and invalidates their hashes.
  @inline(__always) private mutating func add(_ items: Int32, from start: Int32) {
    var index = start
    while index >= 0 {
      let changed = writable(index)
      changed.pointee.total += items
      changed.pointee.hash = OrderNode.unhashed
      index = changed.pointee.parent
    }
  }

  private func leftmost(_ root: Int32) -> Int32 {
    var current = node(root)
    while current.pointee.level > 0 { current = node(current.child(0)) }
    return current.child(0)
  }

  private func rightmostLeaf(_ root: Int32) -> Int32 {
    var index = root
    while node(index).pointee.level > 0 { index = node(index).child(Int(node(index).pointee.count) - 1) }
    return index
  }

  private func rightmost(_ root: Int32) -> Int32 {
    let leaf = node(rightmostLeaf(root))
    return leaf.child(Int(leaf.pointee.count) - 1)
  }
}
