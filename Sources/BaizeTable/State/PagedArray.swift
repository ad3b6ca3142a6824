/// An array in pages of a fixed size, each copied on its own when a second owner exists.
///
/// A snapshot of a large table is produced from a frozen copy while the table goes on. With one buffer the first change
/// after the freeze would copy everything (tens of megabytes for a million items); with pages it copies what it touches.
struct PagedArray<Element> {
  private static var pageBits: Int { 9 }
  private static var pageSize: Int { 1 << pageBits }

  private var pages: [[Element]] = []
  private(set) var count = 0

  /// Reads or changes an element in place.
  ///
  /// - Complexity: O(1); a change copies one page if a second owner holds it.
  subscript(index: Int32) -> Element {
    @inline(__always) get {
      pages[Int(truncatingIfNeeded: index) >> Self.pageBits][Int(truncatingIfNeeded: index) & (Self.pageSize - 1)]
    }
    @inline(__always) _modify {
      yield &pages[Int(truncatingIfNeeded: index) >> Self.pageBits][
        Int(truncatingIfNeeded: index) & (Self.pageSize - 1)]
    }
  }

  /// Adds an element at the end and gives its index.
  ///
  /// - Complexity: O(1), amortized.
  mutating func append(_ element: Element) -> Int32 {
    if count & (Self.pageSize - 1) == 0 { pages.append([]) }
    pages[count >> Self.pageBits].append(element)
    count += 1
    return Int32(count - 1)
  }
}

extension PagedArray {
  /// How many pages this array and `other` hold in common, in the same places. For tests.
  func sharedPageCount(with other: Self) -> Int {
    zip(pages, other.pages).count { mine, theirs in
      mine.withUnsafeBufferPointer { mine in theirs.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress } }
    }
  }
}

extension PagedArray: Sendable where Element: Sendable {}
