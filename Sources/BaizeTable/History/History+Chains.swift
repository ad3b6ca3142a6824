/// The run of a position (N4): the positions that a session made one beside the other.
struct Run: Equatable, Sendable, BitwiseCopyable {
  private static let sharedBit: UInt32 = 1 << 31

  private var bits: UInt32 = 0

  /// No run.
  static let none = Run()

  private init() {}

  /// Creates the run that a revision began.
  init(begunAt revision: Revision, isShared: Bool) {
    bits = UInt32(truncatingIfNeeded: revision.rawValue) & ~Self.sharedBit
    self.isShared = isShared
  }

  /// The lower bits of the revision that began it; zero for none.
  var number: UInt32 { bits & ~Self.sharedBit }

  /// Whether other positions may belong to it.
  var isShared: Bool {
    get { bits & Self.sharedBit != 0 }
    set { bits = newValue ? bits | Self.sharedBit : number }
  }

  /// The same run with other positions.
  var shared: Run {
    var run = self
    run.isShared = number != 0
    return run
  }
}

extension History {
  /// A position's links in the tree of its chain.
  ///
  /// A chain is a binary tree in the order of the positions, in which each is below those that were vacated after it (a
  /// Cartesian tree; J. Vuillemin, "A unifying look at data structures", 1980):
  ///
  /// ```
  /// items      a . . . . b        a chain of four vacant positions in front of b, vacated in the order 3 1 2 4
  /// tree           4              b's record refers to the root, and the root to b
  ///             3     (none)
  ///          (…)  1 2
  /// ```
  ///
  /// What is vacated becomes the root, over the chain in front of it and that of the item behind it: no search. What the same diff
  /// takes out is in an order of chance, so that a block leaves no list (a treap; R. Seidel, C. R. Aragon, "Randomized search
  /// trees", 1996). What is forgotten is below everything that is not, so that nothing has to be unlinked: a number that is not in
  /// the window any more is none.
  /// A position that an operation can name was vacated after the operation's base, so that finding the item behind it costs
  /// at most one step for each diff since then that took something out of the same gap.
  struct Links: Equatable, Sendable, BitwiseCopyable {
    /// The position above it or, in the root, the slot of the item behind the chain; −1 for the end of the collection.
    var parent: Int32 = -1
    var left = ChainLink.none
    var right = ChainLink.none
    var isRoot = true

    @inline(__always) mutating func put(before slot: Int32) {
      parent = slot
      isRoot = true
    }

    @inline(__always) mutating func put(below link: ChainLink) {
      parent = Int32(bitPattern: link.number)
      isRoot = false
    }
  }

  /// Returns the index of the position that a link refers to; −1 if there is none in the window.
  @inline(__always) func index(of link: ChainLink) -> Int {
    guard link != .none else { return -1 }
    let offset = Int(link.number &- UInt32(truncatingIfNeeded: firstNumber &+ head))
    return offset < takeOuts.count &- head ? head &+ offset : -1
  }

  /// Returns the link to the position at an index; none for −1.
  @inline(__always) func link(_ index: Int) -> ChainLink {
    index < 0 ? .none : ChainLink(number: UInt32(truncatingIfNeeded: firstNumber &+ index))
  }

  @inline(__always) func parent(_ index: Int) -> Int {
    takeOuts[index].links.isRoot
      ? -1 : self.index(of: ChainLink(number: UInt32(bitPattern: takeOuts[index].links.parent)))
  }

  func left(_ index: Int) -> Int { self.index(of: takeOuts[index].links.left) }

  func right(_ index: Int) -> Int { self.index(of: takeOuts[index].links.right) }

  func root(_ index: Int) -> Int {
    var index = index
    var count = 1
    while case let parent = parent(index), parent >= 0 { (index, count) = (parent, count &+ 1) }
    steps.add(count)
    return index
  }

  /// Returns the slot of the item behind the chain of a position; −1 for the end of the collection.
  ///
  /// - Complexity: O(number of later diffs that took something out of the same gap).
  func owner(_ index: Int) -> Int32 { takeOuts[root(index)].links.parent }

  /// Returns the first position of a subtree, or the last one, of those that were vacated after `base`; −1 for none.
  @inline(__always) func outermost(_ index: Int, isFirst: Bool, since base: Revision = .zero) -> Int {
    guard index >= 0 else { return -1 }
    return takeOuts.withUnsafeBufferPointer { takeOuts in
      guard takeOuts[index].revision > base else { return -1 }
      var index = index
      while case let links = takeOuts[index].links, case let next = self.index(of: isFirst ? links.left : links.right),
        next >= 0, takeOuts[next].revision > base
      {
        index = next
      }
      return index
    }
  }

  /// Returns the next position of a chain in one direction that was vacated after `base`, as this one was; −1 for none.
  func neighbor(_ index: Int, isNext: Bool, since base: Revision = .zero) -> Int {
    let below = outermost(isNext ? right(index) : left(index), isFirst: isNext, since: base)
    if below >= 0 { return below }
    var index = index
    while case let parent = parent(index), parent >= 0 {
      if (isNext ? left(parent) : right(parent)) == index { return parent }
      index = parent
    }
    return -1
  }

  /// Divides a chain behind, or before, one of its positions, and returns the roots of the two parts by their indices; −1 for none.
  ///
  /// - Complexity: As ``owner(_:)``.
  mutating func divide(_ index: Int, isBehind: Bool) -> (front: Int, back: Int) {
    var (child, parent) = (index, parent(index))
    var (front, back) = isBehind ? (index, right(index)) : (left(index), index)
    if isBehind { setRight(index, -1) } else { setLeft(index, -1) }
    while parent >= 0 {
      let above = self.parent(parent)
      if left(parent) == child {
        setLeft(parent, back)
        back = parent
      } else {
        setRight(parent, front)
        front = parent
      }
      (child, parent) = (parent, above)
    }
    return (front, back)
  }

  /// Joins two chains, the first in front of the second, and returns the root of both.
  @inline(never) mutating func join(_ inFront: Int, _ behind: Int) -> Int {
    guard inFront >= 0 else { return behind }
    guard behind >= 0 else { return inFront }
    if isAbove(inFront, behind) {
      setRight(inFront, join(right(inFront), behind))
      return inFront
    }
    setLeft(behind, join(inFront, left(behind)))
    return behind
  }

  /// Returns whether one position is above another one: it was vacated later or, by the same diff, has the higher priority.
  private func isAbove(_ one: Int, _ other: Int) -> Bool {
    func priority(_ index: Int) -> UInt32 { link(index).number &* 0x9E37_79B1 }
    let (first, second) = (takeOuts[one].revision, takeOuts[other].revision)
    return first == second ? priority(one) > priority(other) : first > second
  }

  @inline(__always) private mutating func setLeft(_ index: Int, _ child: Int) {
    takeOuts[index].links.left = link(child)
    if child >= 0 { takeOuts[child].links.put(below: link(index)) }
  }

  @inline(__always) private mutating func setRight(_ index: Int, _ child: Int) {
    takeOuts[index].links.right = link(child)
    if child >= 0 { takeOuts[child].links.put(below: link(index)) }
  }

  /// Returns the name of a vacant position.
  func vacancy(_ index: Int) -> Vacancy { Vacancy(item: takeOuts[index].item, revision: takeOuts[index].revision) }

  /// Returns whether one position is in front of another one of the same chain.
  ///
  /// - Complexity: As ``owner(_:)``.
  func isInFront(_ first: Int, of second: Int) -> Bool {
    var (one, two) = (first, second)
    var (depthOfOne, depthOfTwo) = (depth(one), depth(two))
    // The children of their first common ancestor decide.
    var (below, belowTwo) = (-1, -1)
    while one != two {
      if depthOfOne >= depthOfTwo { (below, one, depthOfOne) = (one, parent(one), depthOfOne - 1) }
      if depthOfTwo > depthOfOne, one != two { (belowTwo, two, depthOfTwo) = (two, parent(two), depthOfTwo - 1) }
      guard one >= 0, two >= 0 else { return false }
    }
    return below >= 0 ? left(one) == below && below != belowTwo : belowTwo >= 0 && right(one) == belowTwo
  }

  private func depth(_ index: Int) -> Int {
    var (index, depth) = (index, 0)
    while case let parent = parent(index), parent >= 0 { (index, depth) = (parent, depth + 1) }
    steps.add(depth)
    return depth
  }
}

/// The number of a vacant position, as the links of a chain keep it.
struct ChainLink: Equatable, Sendable, BitwiseCopyable {
  /// The lower half of the number of the position's record.
  let number: UInt32

  static let none = ChainLink(number: .max)
}
