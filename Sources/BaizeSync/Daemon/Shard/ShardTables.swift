import BaizeTable

struct ShardTables {
  /// The tables, in no particular order.
  private(set) var all: [TableMachine] = []
  private var indicesByName: [String: Int] = [:]
  /// The size of the tables' contents in bytes, as last charged.
  private(set) var contentBytes = 0
  /// The approximate memory of all tables besides their types, in bytes.
  private(set) var memoryBytes = 0
  /// The types of all tables.
  private(set) var types = ChargedTypes()
  /// The numbers of sessions and members that the present count has found.
  private var recount = (sessions: 0, members: 0)
  /// The tables with events in the present turn.
  private(set) var touched: [Int] = []
  /// The buffer of the last turn's ``touched``, to be used again.
  private var spare: [Int] = []

  /// The numbers of sessions and members, by the last count.
  private(set) var people = (sessions: 0, members: 0)

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

  /// Adds a table and marks it as active in this turn.
  ///
  /// - Returns: Its index.
  mutating func insert(_ table: TableMachine) -> Int {
    let index = all.count
    all.append(table)
    all[index].countSessions()
    charge(index)
    indicesByName[table.name] = index
    touch(index)
    return index
  }

  /// Removes a table.
  ///
  /// - Returns: The table, and whether the last table got its index.
  mutating func remove(_ index: Int) -> (table: TableMachine, hasMoved: Bool) {
    let last = all.count - 1
    contentBytes -= all[index].chargedContentBytes
    memoryBytes -= all[index].chargedBytes
    if let type = all[index].chargedType { types.remove(type) }
    indicesByName[all[index].name] = nil
    untouch(index)
    all.swapAt(index, last)
    let table = all.removeLast()
    guard index < last else { return (table, false) }
    indicesByName[all[index].name] = index
    if let position = all[index].touchedPosition { touched[position] = index }
    return (table, true)
  }

  /// Removes a table from those that are active; the last one of these gets its position.
  private mutating func untouch(_ index: Int) {
    guard let position = all[index].touchedPosition, let last = touched.popLast() else { return }
    all[index].touchedPosition = nil
    guard last != index else { return }
    touched[position] = last
    all[last].touchedPosition = position
  }

  // MARK: The turn

  /// Marks a table as active in this turn.
  @inline(__always) mutating func touch(_ index: Int) {
    guard all[index].touchedPosition == nil else { return }
    let position = touched.count
    all.withUnsafeMutableBufferPointer { $0[index].touchedPosition = position }
    touched.append(index)
  }

  /// Returns the tables that are active in this turn. The caller gives the array back by ``recycle(_:)``.
  mutating func takeTouched() -> [Int] {
    swap(&spare, &touched)
    return exchange(&spare, with: [])
  }

  mutating func recycle(_ taken: consuming [Int]) {
    taken.removeAll(keepingCapacity: true)
    spare = taken
  }

  // MARK: Memory

  /// Charges a table for its present memory.
  ///
  /// - Complexity: O(1), with the sessions as last counted.
  mutating func charge(_ index: Int) {
    let bytes = all[index].memoryBytes
    memoryBytes += bytes - all[index].chargedBytes
    all[index].chargedBytes = bytes
    let contents = all[index].table.state.contentBytes
    contentBytes += contents - all[index].chargedContentBytes
    all[index].chargedContentBytes = contents
    all[index].chargedEnd = all[index].room.log.end
    all[index].chargedHistoryBytes = all[index].table.historyBytes
    let type = all[index].table.state.type
    if all[index].chargedType !== type {
      types.insert(type)
      if let last = all[index].chargedType { types.remove(last) }
      all[index].chargedType = type
    }
  }

  // MARK: Counting

  /// Counts the sessions and members of the next table.
  mutating func count(_ index: Int) {
    recount.sessions += all[index].sessions.count
    recount.members += all[index].room.members.count
    all[index].countSessions()
  }

  mutating func endCount() {
    people = recount
    recount = (0, 0)
  }
}
