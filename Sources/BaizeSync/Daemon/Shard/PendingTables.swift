import BaizeTable
import BaizeWire

/// The tables that are being loaded or created, and the connections that wait for them.
///
/// ```
/// a hello ─▶ requested ─▶ loaded or created: ready ─▶ its connections are admitted, a bounded number per turn
/// ```
struct PendingTables {
  private var tables: [String: PendingTable] = [:]
  /// The tables that are ready. They take turns, so that a table with many waiting connections delays no other's.
  private var ready = WaitingList<String>()
  /// The size of the contents of the tables that are being created, in bytes.
  private(set) var contentBytes = 0

  /// The number of tables that are being loaded or created.
  var count: Int { tables.count - ready.count }
  var isEmpty: Bool { tables.isEmpty }
  /// Whether connections can be admitted.
  var hasReady: Bool { !ready.isEmpty }

  subscript(name: String) -> PendingTable? { tables[name] }

  // MARK: Requesting

  mutating func append(_ hello: Hello, of id: ConnectionID) {
    tables[hello.table, default: PendingTable()].hellos.append((id, hello))
  }

  /// Marks a table as requested from the host.
  ///
  /// - Returns: Whether it was not yet requested.
  mutating func request(_ name: String) -> Bool {
    guard tables[name]?.isRequested == false else { return false }
    tables[name]?.isRequested = true
    return true
  }

  /// Notes that the host creates the table of a hello, which waits for it.
  mutating func create(for hello: Hello, of id: ConnectionID, bytes: Int) {
    setReady(hello.table, nil)
    append(hello, of: id)
    tables[hello.table]?.isRequested = true
    tables[hello.table]?.creator = hello
    tables[hello.table]?.contentBytes = bytes
    contentBytes += bytes
  }

  /// Has the members of a table that is removed wait until it is loaded again.
  mutating func suspend(_ name: String, _ members: [TableMachine.SuspendedMember], draggers: [SessionID], epoch: Epoch)
  {
    setReady(name, nil)
    tables[name, default: PendingTable()].isRequested = false
    for member in members { tables[name]?.members.append(member) }
    tables[name]?.draggers += draggers
    tables[name]?.epoch = epoch
  }

  // MARK: Admitting

  /// Sets the result of a request; `nil` before there is one.
  mutating func setReady(_ name: String, _ result: PendingTable.Result?) {
    guard let table = tables[name] else { return }
    contentBytes -= table.contentBytes
    tables[name]?.contentBytes = 0
    tables[name]?.result = result
    if table.result == nil, result != nil { ready.append(name) }
    if table.result != nil, result == nil { ready.removeAll { $0 == name } }
  }

  /// Sets the sessions whose drags the members of a table may have received.
  mutating func setDraggers(_ draggers: [SessionID], of name: String) { tables[name]?.draggers = draggers }

  /// Removes and returns the first hello that creates the table as the one did for which it was created.
  mutating func takeCreator(of name: String) -> (connection: ConnectionID, hello: Hello)? {
    guard let creator = tables[name]?.creator else { return nil }
    return tables[name]?.hellos.removeFirst { creator.wantsSameTable(as: $0.hello) }
  }

  enum Waiting {
    case member(TableMachine.SuspendedMember, draggers: [SessionID])
    case hello(ConnectionID, Hello)
  }

  /// Removes and returns a connection that waits for a table that is ready. Former members of a table come first.
  mutating func popReady() -> (waiting: Waiting, result: PendingTable.Result)? {
    while let name = ready.popFirst() {
      guard let result = tables[name]?.result else { continue }
      var first: Waiting?
      if let member = tables[name]?.members.popFirst() {
        first = .member(member, draggers: tables[name]?.draggers ?? [])
      } else if let (id, hello) = tables[name]?.hellos.popFirst() {
        first = .hello(id, hello)
      }
      guard let first else {
        tables[name] = nil
        continue
      }
      ready.append(name)
      return (first, result)
    }
    return nil
  }

  // MARK: Connections

  /// Removes a waiting connection.
  ///
  /// - Complexity: O(number of pending tables and waiting connections).
  mutating func remove(_ id: ConnectionID) {
    for name in tables.keys { tables[name]?.hellos.removeAll { $0.connection == id } }
  }
}

/// A table that is being loaded or created, and the connections that wait for it.
struct PendingTable {
  /// The result of loading or creating a table.
  enum Result {
    /// The table is in memory.
    case present
    /// The table is not in the journal: the first hello that may creates it.
    case absent
    case noRoom
    case unreadable
  }

  /// The waiting hellos, in the order of their arrival.
  var hellos = WaitingList<(connection: ConnectionID, hello: Hello)>()
  /// The connections that were members when the table had to be restored.
  var members = WaitingList<TableMachine.SuspendedMember>()
  /// The sessions whose drags they may have received, and whose drags ended with the table without being reported.
  var draggers: [SessionID] = []
  /// The last epoch that any of them received.
  var epoch = Epoch(rawValue: 0)
  /// Whether the table was requested from the host.
  var isRequested = false
  /// The hello that creates the table, if one does, and the approximate size of the contents in bytes.
  var creator: Hello?
  var contentBytes = 0
  /// Set once the table was loaded or created, or could not be.
  var result: Result?
}

/// A queue from which elements may also be removed elsewhere.
struct WaitingList<Element> {
  private var elements: [Element] = []
  /// The index of the first element.
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) { elements.append(element) }

  /// - Complexity: O(1) on average.
  mutating func popFirst() -> Element? {
    guard start < elements.count else { return nil }
    let first = elements[start]
    start += 1
    if start == elements.count || start >= 1_024 && 2 * start >= elements.count { compact() }
    return first
  }

  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    compact()
    elements.removeAll(where: isRemoved)
  }

  /// Removes and returns the first element with a property.
  mutating func removeFirst(where isRemoved: (Element) -> Bool) -> Element? {
    compact()
    return elements.firstIndex(where: isRemoved).map { elements.remove(at: $0) }
  }

  private mutating func compact() {
    elements.removeFirst(start)
    start = 0
  }
}

extension Hello {
  /// Returns whether the hello would create the same table.
  fileprivate func wantsSameTable(as other: Hello) -> Bool { tableType == other.tableType && seed == other.seed }
}
