import BaizeTable
import BaizeWire

/// The tables that are being loaded or created, and the connections that wait for them.
struct PendingTables {
  private var tables: [String: PendingTable] = [:]
  /// The frames that the waiting connections have sent, to be received afterwards, and their approximate size in memory.
  private var frames: [ConnectionID: (frames: [[UInt8]], memoryBytes: Int)] = [:]
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
  /// - Returns: Whether it was not yet requested.
  mutating func request(_ name: String) -> Bool {
    guard tables[name]?.isRequested == false else { return false }
    tables[name]?.isRequested = true
    return true
  }

  // MARK: Connections

  /// Keeps the bytes that a connection sends before its table is loaded.
  ///
  /// - Returns: The number of bytes kept for it.
  mutating func keep(_ frame: UnsafeRawBufferPointer, of id: ConnectionID) -> Int {
    var kept = frames.removeValue(forKey: id) ?? ([], 0)
    kept.frames.append([UInt8](frame))
    // With the overhead of an array.
    kept.memoryBytes += frame.count + 32
    frames[id] = kept
    return kept.memoryBytes
  }

  /// Removes and returns the bytes that a connection has sent.
  mutating func takeFrames(of id: ConnectionID) -> [[UInt8]] { frames.removeValue(forKey: id)?.frames ?? [] }

  /// Removes a waiting connection.
  ///
  /// - Complexity: O(number of pending tables and waiting connections).
  mutating func remove(_ id: ConnectionID) {
    frames[id] = nil
    for name in tables.keys { tables[name]?.hellos.removeAll { $0.connection == id } }
  }
}

/// A table that is being loaded or created, and the connections that wait for it.
struct PendingTable {
  /// The waiting hellos, in the order of their arrival.
  var hellos: [(connection: ConnectionID, hello: Hello)] = []
  /// The connections that were members when the table had to be restored.
  var members: [TableMachine.SuspendedMember] = []
  /// The sessions whose drags they may have received, and whose drags ended with the table without being reported.
  var draggers: [SessionID] = []
  /// The last epoch that any of them received.
  var epoch = Epoch(rawValue: 0)
  /// Whether the table was requested from the host.
  var isRequested = false
  /// The hello that creates the table, if one does, and the approximate size of the contents in bytes.
  var creator: Hello?
  var contentBytes = 0
}
