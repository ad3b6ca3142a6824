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
  private var ready = WaitingQueue<String, Void>()
  /// The table that each connection with a hello waits for.
  private var tablesAwaited: [ConnectionID: String] = [:]
  /// The size of the contents of the tables that are being created, in bytes.
  private(set) var contentBytes = 0
  /// The tables that were expected and could not be loaded, until that is asked for, or was a while ago; the first ones are forgotten
  /// first.
  private var failures: [(name: String, result: PendingTable.Result, at: Instant)] = []

  private static let failuresMax = 16

  /// The number of tables that are being loaded or created.
  var count: Int { tables.count - ready.count }
  var isEmpty: Bool { tables.isEmpty }
  /// Whether connections can be admitted.
  var hasReady: Bool { !ready.isEmpty }

  subscript(name: String) -> PendingTable? { tables[name] }

  /// Returns whether a table is being loaded or created, or has members that wait for it. Looking whether there is one does not
  /// count: any stranger can ask for that.
  func isLoading(_ name: String) -> Bool {
    tables[name].map { !$0.isLookUp || !$0.members.isEmpty } ?? false
  }

  // MARK: Requesting

  mutating func append(_ hello: Hello, of id: ConnectionID) {
    tables[hello.table, default: PendingTable()].hellos.append(hello, for: id)
    tablesAwaited[id] = hello.table
  }

  /// Has a connection wait again that was the first to be admitted. It stays the first: one that came later may be a later
  /// connection of the same session.
  mutating func putBack(_ hello: Hello, of id: ConnectionID) {
    tables[hello.table, default: PendingTable()].hellos.prepend(hello, for: id)
    tablesAwaited[id] = hello.table
  }

  /// Notes a table for which no connection waits.
  mutating func expect(_ name: String) {
    tables[name] = PendingTable()
    tables[name]?.isExpected = true
  }

  /// Returns, once, why a table that was expected could not be loaded; `nil` if it was not, or nothing is known of it any more.
  mutating func takeFailure(of name: String, at now: Instant) -> PendingTable.Result? {
    failures.removeAll { now.milliseconds(since: $0.at) >= ServerLimits.loadFailureSeconds * 1_000 }
    return failures.firstIndex { $0.name == name }.map { failures.remove(at: $0).result }
  }

  private mutating func noteFailure(of name: String, _ result: PendingTable.Result, at now: Instant) {
    failures.removeAll { $0.name == name }
    if case .present = result { return }
    if failures.count == Self.failuresMax { failures.removeFirst() }
    failures.append((name, result, now))
  }

  /// Has the host only look whether there is a table, unless it was requested before.
  mutating func lookUp(_ name: String) {
    guard let table = tables[name], !table.isRequested, table.members.isEmpty else { return }
    tables[name]?.isLookUp = true
  }

  /// Lets a table that was looked up be requested again, to be loaded.
  mutating func repeatRequest(of name: String) {
    setReady(name, nil)
    tables[name]?.isRequested = false
    tables[name]?.isLookUp = false
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
  ///
  /// - Parameter account: The account that is charged for it meanwhile.
  mutating func create(for hello: Hello, of id: ConnectionID, bytes: Int, chargedTo account: AccountKey) {
    setReady(hello.table, nil)
    putBack(hello, of: id)
    tables[hello.table]?.isRequested = true
    tables[hello.table]?.creator = hello
    tables[hello.table]?.contentBytes = bytes
    tables[hello.table]?.charge = (account, bytes)
    contentBytes += bytes
  }

  /// Returns, once, who is charged for a table that is being created, and for how many bytes of contents.
  mutating func takeCharge(of name: String) -> (account: AccountKey, bytes: Int)? {
    defer { tables[name]?.charge = nil }
    return tables[name]?.charge
  }

  /// Has the members of a table that is removed wait until it is loaded again.
  mutating func suspend(_ name: String, _ members: [TableMachine.SuspendedMember], draggers: [SessionID], epoch: Epoch)
  {
    setReady(name, nil)
    tables[name, default: PendingTable()].isRequested = false
    tables[name]?.isLookUp = false
    for member in members { tables[name]?.members.append(member, for: member.connection) }
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
    if table.result == nil, result != nil { ready.append((), for: name) }
    if table.result != nil, result == nil { ready.remove(name) }
  }

  /// Sets the sessions whose drags the members of a table may have received.
  mutating func setDraggers(_ draggers: [SessionID], of name: String) { tables[name]?.draggers = draggers }

  /// Removes and returns the first hello that creates the table as the one did for which it was created.
  mutating func takeCreator(of name: String) -> (connection: ConnectionID, hello: Hello)? {
    guard let creator = tables[name]?.creator,
      let (id, hello) = tables[name]?.hellos.first(where: { creator.wantsSameTable(as: $0) })
    else { return nil }
    remove(id)
    return (id, hello)
  }

  enum Waiting {
    case member(TableMachine.SuspendedMember, draggers: [SessionID])
    case hello(ConnectionID, Hello)
  }

  /// Removes and returns a connection that waits for a table that is ready. Former members of a table come first.
  ///
  /// - Parameter now: The present time.
  mutating func popReady(at now: Instant) -> (waiting: Waiting, result: PendingTable.Result)? {
    while let (name, _) = ready.popFirst() {
      guard let result = tables[name]?.result else { continue }
      var first: Waiting?
      if let (_, member) = tables[name]?.members.popFirst() {
        first = .member(member, draggers: tables[name]?.draggers ?? [])
      } else if let (id, hello) = tables[name]?.hellos.popFirst() {
        tablesAwaited[id] = nil
        first = .hello(id, hello)
      }
      guard let first else {
        if tables[name]?.isExpected == true { noteFailure(of: name, result, at: now) }
        tables[name] = nil
        continue
      }
      ready.append((), for: name)
      return (first, result)
    }
    return nil
  }

  // MARK: Connections

  /// Removes a connection that waits with a hello.
  ///
  /// - Complexity: O(1).
  mutating func remove(_ id: ConnectionID) {
    guard let name = tablesAwaited.removeValue(forKey: id) else { return }
    tables[name]?.hellos.remove(id)
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
    /// The table is in the journal, and was not loaded.
    case stored
    case noRoom
    case unreadable
  }

  /// The waiting hellos, in the order of their arrival.
  var hellos = WaitingQueue<ConnectionID, Hello>()
  /// The connections that were members when the table had to be restored.
  var members = WaitingQueue<ConnectionID, TableMachine.SuspendedMember>()
  /// The sessions whose drags they may have received, and whose drags ended with the table without being reported.
  var draggers: [SessionID] = []
  /// The last epoch that any of them received.
  var epoch = Epoch(rawValue: 0)
  /// Whether the table was requested from the host.
  var isRequested = false
  /// Whether those who wait may only create the table: the host looks whether there is one, and does not load it.
  var isLookUp = false
  /// Whether the operator asks for it.
  var isExpected = false
  /// The hello that creates the table, if one does, and the approximate size of the contents in bytes.
  var creator: Hello?
  var contentBytes = 0
  /// The account that is charged for these.
  var charge: (account: AccountKey, bytes: Int)?
  /// Set once the table was loaded or created, or could not be.
  var result: Result?
}

extension Hello {
  /// Returns whether the hello would create the same table.
  fileprivate func wantsSameTable(as other: Hello) -> Bool { tableType == other.tableType && seed == other.seed }
}
