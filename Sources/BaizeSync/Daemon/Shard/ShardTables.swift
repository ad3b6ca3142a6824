import BaizeTable

/// The tables of a shard that are in memory.
struct ShardTables {
  /// In no particular order.
  private(set) var all: [TableMachine] = []
  private var indicesByName: [String: Int] = [:]
  /// The size of the tables' contents, in bytes, as of the last count, tables that came and went since included.
  private(set) var contentBytes = 0
  /// The most that one table's contents may grow to, in bytes, while all of them take more than they may.
  private var contentBytesMax = Int.max
  private var recount = Recount()
  /// The tables that the shard's turn has to look at when it ends.
  private(set) var touched: [Int] = []

  private struct Recount {
    /// The next table to be counted.
    var index = 0
    var bytes = 0
  }

  var count: Int { all.count }
  var indices: Range<Int> { all.indices }

  func index(of name: String) -> Int? { indicesByName[name] }

  subscript(index: Int) -> TableMachine {
    @inline(__always) get { all[index] }
    @inline(__always) _modify { yield &all[index] }
  }

  /// Lends a table without the coroutine of an array's subscript.
  @inline(__always) mutating func with<Failure: Error>(
    _ index: Int, _ body: (inout TableMachine) throws(Failure) -> Void
  ) throws(Failure) {
    try all.withUnsafeMutableBufferPointer { (tables) throws(Failure) in try body(&tables[index]) }
  }

  /// Adds a table, as one that has something to do when the turn ends.
  ///
  /// - Returns: Its index.
  mutating func insert(_ table: TableMachine) -> Int {
    let index = all.count
    contentBytes += table.table.state.contentBytes
    all.append(table)
    indicesByName[table.name] = index
    touch(index)
    return index
  }

  /// Removes a table.
  ///
  /// - Returns: Its state, and whether the last table got its index.
  mutating func remove(_ index: Int) -> (state: TableState, hasMoved: Bool) {
    let last = all.count - 1
    let state = all[index].table.state
    contentBytes -= state.contentBytes
    if index < recount.index { recount.bytes -= state.contentBytes }
    indicesByName[all[index].name] = nil
    all.swapAt(index, last)
    all.removeLast()
    touched.removeAll { $0 == index }
    guard index < last else { return (state, false) }
    if index < recount.index, last >= recount.index { recount.bytes += all[index].table.state.contentBytes }
    indicesByName[all[index].name] = index
    if let position = touched.firstIndex(of: last) { touched[position] = index }
    return (state, true)
  }

  // MARK: The turn

  /// Notes that something happens at a table.
  @inline(__always) mutating func touch(_ index: Int) {
    guard !all[index].isTouched else { return }
    all[index].isTouched = true
    all[index].table.contentBytesMax = min(contentBytesMax, all[index].limits.contentBytesPerTableMax)
    touched.append(index)
  }

  /// Returns the tables to look at when the turn ends.
  mutating func takeTouched() -> [Int] {
    var taken: [Int] = []
    swap(&taken, &touched)
    return taken
  }

  // MARK: Counting

  /// Counts the contents of the table at `index`, each in turn.
  mutating func count(_ index: Int) {
    recount.bytes += all[index].table.state.contentBytes
    recount.index = index + 1
  }

  /// Ends the count. If all tables together take more than `bytesMax`, none grows beyond its share until they take less:
  /// small ones go on.
  mutating func endCount(besides pendingBytes: Int, bytesMax: Int) {
    contentBytes = recount.bytes
    recount = Recount()
    contentBytesMax = contentBytes + pendingBytes > bytesMax ? bytesMax / max(1, all.count) : .max
  }
}
