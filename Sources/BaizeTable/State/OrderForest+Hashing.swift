extension OrderForest {
  /// Returns the sequence hash of a tree: Σ h(idᵢ)·Bⁿ⁻¹⁻ⁱ modulo 2⁶¹ − 1 (see ``ViewHash``). It depends on the order of
  /// the items alone, not on the tree's shape.
  ///
  /// - Complexity: O(c log n) for c changes since the last computation, at most O(n).
  mutating func hash(_ root: Int32) -> UInt64 {
    guard root >= 0 else { return 0 }
    guard node(root).pointee.hash == OrderNode.unhashed else { return node(root).pointee.hash }
    nodes.storage.makeUnique()
    return computeHash(root).hash
  }

  private mutating func computeHash(_ index: Int32) -> (hash: UInt64, power: UInt64) {
    let changed = writable(index)
    guard changed.pointee.hash == OrderNode.unhashed else { return (changed.pointee.hash, changed.pointee.power) }
    nodesHashed &+= 1
    var (hash, power) = (UInt64(0), UInt64(1))
    for position in 0..<Int(changed.pointee.count) {
      let child = changed.child(position)
      let (childHash, childPower) =
        changed.pointee.level == 0
        ? (ViewHash.itemHash(records.address(of: child).pointee.id), ViewHash.base) : computeHash(child)
      hash = ViewHash.concatenate(hash, childHash, power: childPower)
      power = ViewHash.multiply(power, childPower)
    }
    changed.pointee.hash = hash
    changed.pointee.power = power
    return (hash, power)
  }

  /// Invalidates the hashes above an item whose id has changed.
  mutating func invalidateHash(of slot: Int32) {
    nodes.storage.makeUnique()
    var index = leaf(slot)
    while index >= 0 {
      let changed = writable(index)
      changed.pointee.hash = OrderNode.unhashed
      index = changed.pointee.parent
    }
  }
}

extension OrderForest {
  /// Returns whether the tree `root` is sound: links, counts, totals, levels and the leaves of its items. For tests.
  func isSound(_ root: Int32) -> Bool {
    root < 0 || (node(root).pointee.parent == -1 && isSoundNode(root))
  }

  private func isSoundNode(_ index: Int32) -> Bool {
    let node = node(index)
    let count = Int(node.pointee.count)
    guard count > 0, count <= OrderNode.width else { return false }
    guard node.pointee.level > 0 else {
      return Int(node.pointee.total) == count && (0..<count).allSatisfy { leaf(node.child($0)) == index }
    }
    let children = (0..<count).map { node.child($0) }
    return children.allSatisfy { child in
      let below = self.node(child)
      return below.pointee.parent == index && below.pointee.level == node.pointee.level - 1 && isSoundNode(child)
    } && Int(node.pointee.total) == children.reduce(0) { $0 + Int(self.node($1).pointee.total) }
  }

  /// Returns the number of levels of a tree. For tests.
  func depth(of root: Int32) -> Int { root < 0 ? 0 : Int(node(root).pointee.level) + 1 }
}
