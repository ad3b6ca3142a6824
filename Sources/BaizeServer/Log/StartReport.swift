import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// A report of a daemon that has started, as one line of the log.
struct StartReport {
  private let configuration: ServerConfiguration
  private let address: SocketAddress
  private let connectionsMax: Int
  private let memoryBytesMax: Int
  private let storedTables: Int

  init(
    _ configuration: ServerConfiguration, address: SocketAddress, connectionsMax: Int, memoryBytesMax: Int,
    storedTables: Int
  ) {
    self.configuration = configuration
    self.address = address
    self.connectionsMax = connectionsMax
    self.memoryBytesMax = memoryBytesMax
    self.storedTables = storedTables
  }

  var line: String {
    "baized \(BaizeVersion.text) listens on \(address); \(journal); \(configuration.shardCount) shards; "
      + "\(configuration.tableTypes.documents.count) table types; \(connections); "
      + "clients may take \(memoryBytesMax >> 20) MiB of memory (see --memory-max); \(configuration.whoMayJoin); "
      + configuration.whoMayCreate
  }

  private var journal: String {
    let contents = "with \(storedTables) tables; durability \(configuration.durability.rawValue)"
    switch configuration.journal {
    case .file(let path) where configuration.hasJournal: return "journal '\(path)' \(contents)"
    case .postgres where configuration.hasJournal: return "journal in PostgreSQL \(contents)"
    case .none, .memory, .file, .postgres: return "no journal file, so that tables end with the daemon"
    }
  }

  private var connections: String {
    let asked = configuration.connectionsMax
    guard connectionsMax < asked else { return "at most \(asked) connections" }
    return "at most \(connectionsMax) connections, not \(asked), since the system grants \(DescriptorLimit.current) "
      + "descriptors (see `ulimit -n`)"
  }
}
