import BaizeSync
import BaizeTable
import BaizeTransport

/// Who takes what of the daemon, for the operator: it has addresses.
struct PressureReport: Sendable {
  let memory: MemoryUse
  let bytesMax: Int
  let mark: MemoryMark
  /// The number of connections to tables.
  let connections: Int
  private var accounts: [SocketAddress.Host?: Account] = [:]

  private struct Account {
    var connections = 0
    var load = PeerLoad(peer: .unknown)
  }

  /// - Parameter byAddress: The numbers of connections of the addresses that have the most.
  init(
    memory: MemoryUse, bytesMax: Int, mark: MemoryMark, connections: Int,
    byAddress: [(host: SocketAddress.Host, connections: Int)]
  ) {
    (self.memory, self.bytesMax, self.mark, self.connections) = (memory, bytesMax, mark, connections)
    for (host, count) in byAddress { accounts[host, default: Account()].connections += count }
  }

  /// Adds what addresses have made shards keep.
  mutating func add(_ loads: [PeerLoad]) {
    for load in loads { accounts[SocketAddress.Host(load.peer), default: Account()].load += load }
  }

  func json(isHealthy: Bool) -> [UInt8] {
    let sorted = accounts.sorted { left, right in
      let (one, other) = (left.value, right.value)
      return (one.load.bytes, one.load.writtenBytes, one.connections, Self.text(left.key))
        > (other.load.bytes, other.load.writtenBytes, other.connections, Self.text(right.key))
    }
    var json = JSONWriter()
    json.object { json in
      json.field("healthy", isHealthy)
      json.field("memory") { json in
        json.object { json in
          json.field("bytes", memory.total)
          json.field("limit", bytesMax)
          json.field("mark", "\(mark)")
          json.field("holders") { json in
            json.object { json in
              for (name, bytes) in memory.holders { json.field(name, bytes) }
            }
          }
        }
      }
      json.field("connections", connections)
      json.field("accounts") { json in
        json.array { json in
          for (host, account) in sorted.prefix(ServerLimits.accountsListedMax) {
            json.object { json in
              json.field("address", Self.text(host))
              json.field("connections", account.connections)
              json.field("tables", account.load.tables)
              json.field("bytes", account.load.bytes)
              json.field("contentBytes", account.load.contentBytes)
              json.field("writtenBytes", account.load.writtenBytes)
            }
          }
        }
      }
    }
    return json.bytes
  }

  /// Returns an address, or network, as an operator reads it.
  static func text(_ host: SocketAddress.Host?) -> String {
    guard let host else { return "others" }
    let text = SocketAddress(host: host, port: 0).hostText
    return if case .v6(let high, 0, _) = host, high != 0 { text + "/64" } else { text }
  }
}

extension MemoryUse {
  /// What holds the memory, by its name in the metrics.
  var holders: [(name: String, bytes: Int)] {
    [
      ("tables", tables), ("loading", loading), ("frames", frames), ("connections", connections),
      ("outboxes", outboxes),
      ("unwritten", unwritten), ("http", http),
    ]
  }
}
