/// A node of the trees of an ``OrderForest``.
struct OrderNode: Sendable {
  /// The maximum number of children.
  static let width = 32
  static let unhashed = UInt64.max

  var parent: Int32 = -1
  var count: Int32 = 0
  /// The number of items below.
  var total: Int32 = 0
  /// 0 for a leaf.
  var level: Int32 = 0
  /// The sequence hash of the items below; ``unhashed`` if it must be recomputed.
  var hash: UInt64 = Self.unhashed
  /// B to the power of ``total``, valid with the hash.
  var power: UInt64 = 1
  /// The slots in a leaf, the nodes in any other node.
  fileprivate var children = SIMD32<Int32>(repeating: -1)
}

/// The nodes of all trees, by index, and the free ones among them.
struct OrderNodes: Sendable {
  var storage = PagedArray<OrderNode>()
  /// The first free node. Each free node has the next as its parent.
  private var firstFree: Int32 = -1

  mutating func make(level: Int32) -> Int32 {
    guard firstFree >= 0 else { return storage.append(OrderNode(level: level)) }
    let index = firstFree
    firstFree = storage.address(of: index).pointee.parent
    storage.writableAddress(of: index).pointee = OrderNode(level: level)
    return index
  }

  mutating func free(_ index: Int32) {
    storage.writableAddress(of: index).pointee.parent = firstFree
    firstFree = index
  }
}

/// Access to a node's children, which its vector stores contiguously.
extension UnsafeMutablePointer<OrderNode> {
  @inline(__always) private var children: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(self) + MemoryLayout<OrderNode>.offset(of: \.children).unsafelyUnwrapped
  }

  @inline(__always) func child(_ position: Int) -> Int32 {
    assert(position >= 0 && position < Int(pointee.count), "child \(position) of \(pointee.count)")
    return children.load(fromByteOffset: position &* 4, as: Int32.self)
  }

  /// Returns the position of a child that the node has.
  @inline(__always) func position(of child: Int32) -> Int {
    var position = 0
    while children.load(fromByteOffset: position &* 4, as: Int32.self) != child {
      position &+= 1
      precondition(position < OrderNode.width, "\(child) is not below the node")
    }
    return position
  }

  @inline(__always) func insertChild(_ child: Int32, at position: Int) {
    var last = Int(pointee.count)
    while last > position {
      children.storeBytes(
        of: children.load(fromByteOffset: (last &- 1) &* 4, as: Int32.self), toByteOffset: last &* 4, as: Int32.self)
      last &-= 1
    }
    children.storeBytes(of: child, toByteOffset: position &* 4, as: Int32.self)
    pointee.count &+= 1
  }

  @inline(__always) func removeChild(at position: Int) {
    var position = position
    pointee.count &-= 1
    while position < Int(pointee.count) {
      children.storeBytes(
        of: children.load(fromByteOffset: (position &+ 1) &* 4, as: Int32.self), toByteOffset: position &* 4,
        as: Int32.self)
      position &+= 1
    }
  }
}
