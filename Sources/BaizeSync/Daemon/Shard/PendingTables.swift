import BaizeTable
import BaizeWire

/// The tables that are being read from the journal or created, and the connections that wait for them.
struct PendingTables {
  private var tables: [String: PendingTable] = [:]
  /// What connections sent meanwhile.
  private var frames: [ConnectionID: PendingFrames] = [:]
  /// The size of the contents of the tables that are being created, in bytes.
  private(set) var contentBytes = 0

  var count: Int { tables.count }
  var isEmpty: Bool { tables.isEmpty }

  subscript(name: String) -> PendingTable? { tables[name] }

  mutating func insert(_ table: PendingTable, named name: String) {
    contentBytes += table.contentBytes
    tables[name] = table
  }

  mutating func remove(_ name: String) -> PendingTable? {
    let table = tables.removeValue(forKey: name)
    contentBytes -= table?.contentBytes ?? 0
    return table
  }

  mutating func append(_ hello: Hello, of id: ConnectionID) {
    tables[hello.table, default: PendingTable()].hellos.append((id, hello))
  }

  /// Marks a table as requested from the host.
  ///
  /// - Returns: Whether it was not before.
  mutating func request(_ name: String) -> Bool {
    guard tables[name]?.isRequested == false else { return false }
    tables[name]?.isRequested = true
    return true
  }

  // MARK: Connections

  /// Keeps what a connection sends before its table is there.
  ///
  /// - Returns: The bytes kept for it.
  mutating func keep(_ frame: UnsafeRawBufferPointer, of id: ConnectionID) -> Int {
    frames[id, default: PendingFrames()].append(frame)
    return frames[id]?.memoryBytes ?? 0
  }

  /// Returns what a connection sent meanwhile.
  mutating func takeFrames(of id: ConnectionID) -> [[UInt8]] { frames.removeValue(forKey: id)?.frames ?? [] }

  /// Removes a connection that waits.
  ///
  /// - Complexity: O(number of tables and of connections that wait).
  mutating func remove(_ id: ConnectionID) {
    frames[id] = nil
    for name in tables.keys { tables[name]?.hellos.removeAll { $0.connection == id } }
  }
}

/// A table that is being read from the journal, or created, and the connections that wait for it.
struct PendingTable {
  /// Hellos in the order in which they came.
  var hellos: [(connection: ConnectionID, hello: Hello)] = []
  /// Connections that were at the table when it had to be read anew.
  var members: [TableMachine.SuspendedMember] = []
  /// The sessions whose drags they may have received. The drags went with the table, and so did the word of their ends.
  var draggers: [SessionID] = []
  /// The last epoch that any of them saw.
  var epoch = Epoch(rawValue: 0)
  /// Whether the host was asked for it.
  var isRequested = false
  /// The hello by which it is being created, if so, and the approximate size of its contents in bytes.
  var creator: Hello?
  var contentBytes = 0
}

/// What a connection sent while its table was being read or created, to be received when that is there.
private struct PendingFrames {
  private(set) var frames: [[UInt8]] = []
  /// The approximate memory that they use, in bytes: an array is more than what it holds.
  private(set) var memoryBytes = 0

  mutating func append(_ frame: UnsafeRawBufferPointer) {
    frames.append([UInt8](frame))
    memoryBytes += frame.count + 32
  }
}
