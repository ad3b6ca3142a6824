import Synchronization

/// An array in pages of a fixed size, each copied on write separately.
///
/// A snapshot of a large table is produced from a copy of its state while the table changes. With one buffer the first
/// change after the copy would duplicate everything (tens of megabytes for a million items); with pages it duplicates
/// the pages that it touches. A copy of the array shares the table of pages; whichever changes first clones that table
/// and shares the pages:
///
/// ```
/// array ─▶ PageTable: page addresses, and for each the generation in which this table made the page its own
///               │ a page may be written if that is the table's present generation
///               ▼
///            Page: elements          a clone of the table raises the generation: no page is its own any more
/// ```
///
/// Reading an element through its address counts no reference. All pointer arithmetic of the state is in this file.
struct PagedArray<Element> {
  private var table = PageTable<Element>()
  /// The table's page addresses, kept here so that reading an element touches no object.
  private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  private(set) var count = 0

  init() { pages = table.pages }

  /// Pages of some 4 KiB: a change of items that are scattered over a large array copies a page for each of them.
  @inline(__always) private static var pageBits: Int {
    let stride = MemoryLayout<Element>.stride
    return stride > 96 ? 4 : stride > 16 ? 6 : 8
  }
  @inline(__always) private static var pageMask: Int { 1 << pageBits - 1 }

  // MARK: Reading

  /// Returns the address of an element, valid for reading until the next change of the array.
  @inline(__always) func address(of index: Int32) -> UnsafeMutablePointer<Element> {
    assert(index >= 0 && index < count, "index \(index) of \(count)")
    let index = Int(truncatingIfNeeded: index)
    return pages[index >> Self.pageBits] + (index & Self.pageMask)
  }

  // MARK: Changing

  /// Makes room for the first elements of an empty array, and for no more, since many tables get no others.
  mutating func reserve(_ elements: Int) {
    guard count == 0, elements > 0 else { return }
    makeUnique()
    table.reserve(elements, pageCapacityMax: 1 << Self.pageBits)
    pages = table.pages
  }

  /// Ensures that the table of pages has no other owner. Call once before a series of ``writableAddress(of:)``.
  @inline(__always) mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&table) { detach() }
  }

  /// Returns the address of an element for writing, after ``makeUnique()``.
  @inline(__always) func writableAddress(of index: Int32) -> UnsafeMutablePointer<Element> {
    assert(index >= 0 && index < count, "index \(index) of \(count)")
    let index = Int(truncatingIfNeeded: index)
    if !table.owns(page: index >> Self.pageBits) { table.copyPage(index >> Self.pageBits) }
    return pages[index >> Self.pageBits] + (index & Self.pageMask)
  }

  /// Reads or changes an element in place.
  ///
  /// - Complexity: O(1); a change copies one page if a second owner holds it.
  subscript(index: Int32) -> Element {
    @inline(__always) get { address(of: index).pointee }
    @inline(__always) _modify {
      makeUnique()
      yield &writableAddress(of: index).pointee
    }
  }

  /// Appends an element and returns its index.
  ///
  /// - Complexity: O(1), amortized.
  mutating func append(_ element: Element) -> Int32 {
    makeUnique()
    let index = count
    if index >> Self.pageBits == table.count { table.addPage(capacityMax: 1 << Self.pageBits) }
    table.append(element, toPage: index >> Self.pageBits, capacityMax: 1 << Self.pageBits)
    pages = table.pages
    count += 1
    return Int32(truncatingIfNeeded: index)
  }

  /// The size of all pages that changes have copied since the array was made, in bytes. What it grows by after a copy of the
  /// array was made is at least the size of what the two do not share.
  var copiedBytes: Int { table.copiedPages * MemoryLayout<Element>.stride << Self.pageBits }

  private mutating func detach() {
    table = table.clone()
    pages = table.pages
  }
}

extension PagedArray {
  /// Returns the number of pages that this array and `other` share at the same position. For tests.
  func sharedPageCount(with other: Self) -> Int {
    zip(table.addresses, other.table.addresses).count { $0 == $1 }
  }
}

/// Unchecked because of the addresses: see ``PageTable``.
extension PagedArray: @unchecked Sendable where Element: Sendable {}

/// A page of elements, freed with the last table that refers to it.
private final class Page<Element> {
  let elements: UnsafeMutablePointer<Element>
  let capacity: Int
  /// The number of initialized elements.
  var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    // At the start of a cache line, so that an element of that size is in one.
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64)
    elements = bytes.bindMemory(to: Element.self, capacity: capacity)
  }

  /// Copies another page's elements.
  convenience init(copying other: Page, capacity: Int) {
    self.init(capacity: capacity)
    elements.initialize(from: other.elements, count: other.count)
    count = other.count
  }

  deinit {
    elements.deinitialize(count: count)
    elements.deallocate()
  }
}

/// The pages of one or more equal arrays.
///
/// Unchecked: threads share tables only through copies of arrays. An array that changes owns its table exclusively
/// (``PagedArray/makeUnique()``) and writes no page that the table shares. A reader's copy may change one field
/// meanwhile, the generation, which is atomic.
private final class PageTable<Element>: @unchecked Sendable {
  /// Raised by every clone.
  private let generation = Atomic<Int>(1)
  /// The addresses of the pages' elements. Behind them, in the same block, are ``owned`` and ``objects``: most tables have one page.
  private(set) var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  /// For each page the generation in which this table came to own it; 0 for never.
  private var owned: UnsafeMutablePointer<Int>
  private var objects: UnsafeMutablePointer<Page<Element>>
  /// The number of pages.
  private(set) var count = 0
  private var capacity: Int
  /// The number of pages that this table and those that it is a clone of have copied.
  private(set) var copiedPages = 0

  init(capacity: Int = 1) {
    self.capacity = capacity
    (pages, owned, objects) = Self.allocate(capacity)
  }

  deinit {
    objects.deinitialize(count: count)
    pages.deallocate()
  }

  private static func allocate(
    _ capacity: Int
  ) -> (
    UnsafeMutablePointer<UnsafeMutablePointer<Element>>, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Page<Element>>
  ) {
    let bytes = capacity * MemoryLayout<Int>.stride
    let block = UnsafeMutableRawPointer.allocate(byteCount: 3 * bytes, alignment: MemoryLayout<Int>.alignment)
    return (
      block.bindMemory(to: UnsafeMutablePointer<Element>.self, capacity: capacity),
      (block + bytes).bindMemory(to: Int.self, capacity: capacity),
      (block + 2 * bytes).bindMemory(to: Page<Element>.self, capacity: capacity)
    )
  }

  var addresses: [UnsafeMutablePointer<Element>] { (0..<count).map { pages[$0] } }

  @inline(__always) func owns(page: Int) -> Bool { owned[page] == generation.load(ordering: .relaxed) }

  /// Returns a table of the same pages. From now on neither owns any of them.
  func clone() -> PageTable {
    generation.add(1, ordering: .relaxed)
    let clone = PageTable(capacity: max(1, count))
    clone.pages.initialize(from: pages, count: count)
    clone.owned.initialize(repeating: 0, count: count)
    clone.objects.initialize(from: objects, count: count)
    clone.count = count
    clone.copiedPages = copiedPages
    return clone
  }

  @inline(never) func copyPage(_ page: Int) {
    set(Page(copying: objects[page], capacity: objects[page].capacity), at: page)
    copiedPages += 1
  }

  /// Makes room for the first elements of an empty table.
  func reserve(_ elements: Int, pageCapacityMax: Int) {
    guard count == 0 else { return }
    grow(to: (elements + pageCapacityMax - 1) / pageCapacityMax)
    add(Page(capacity: min(elements, pageCapacityMax)))
  }

  /// Adds an empty page. The first one is small, since most tables are.
  func addPage(capacityMax: Int) {
    if count == capacity { grow(to: 2 * capacity) }
    add(Page(capacity: count == 0 ? min(16, capacityMax) : capacityMax))
  }

  private func add(_ page: Page<Element>) {
    (pages + count).initialize(to: page.elements)
    (owned + count).initialize(to: generation.load(ordering: .relaxed))
    (objects + count).initialize(to: page)
    count += 1
  }

  func append(_ element: Element, toPage page: Int, capacityMax: Int) {
    let last = objects[page]
    let full = last.count == last.capacity
    if full || !owns(page: page) {
      if !owns(page: page) { copiedPages += 1 }
      set(Page(copying: last, capacity: full ? min(capacityMax, 2 * last.capacity) : last.capacity), at: page)
    }
    let own = objects[page]
    (own.elements + own.count).initialize(to: element)
    own.count += 1
  }

  private func set(_ page: Page<Element>, at index: Int) {
    objects[index] = page
    pages[index] = page.elements
    owned[index] = generation.load(ordering: .relaxed)
  }

  private func grow(to larger: Int) {
    guard larger > capacity else { return }
    let (newPages, newOwned, newObjects) = Self.allocate(larger)
    newPages.initialize(from: pages, count: count)
    newOwned.initialize(from: owned, count: count)
    newObjects.moveInitialize(from: objects, count: count)
    pages.deallocate()
    (pages, owned, objects, capacity) = (newPages, newOwned, newObjects, larger)
  }
}
