import BaizeSync
import BaizeTable
import BaizeTransport

/// The list of tables, by pages. It is read from the shards at most once a second, and the rates are those since it was read
/// before.
struct AdminTableList {
  private struct Row {
    let table: LiveTable
    /// Operations per second; `nil` before there is something to compare with.
    let rate: Double?
  }

  private var rows: [Row] = []
  private var readAt: UInt64?

  private static let ageNanosecondsMax: UInt64 = 1_000_000_000
  static let limitMax = 500
  private static let limitStandard = 100

  /// Returns a page as JSON; `nil` if a shard does not answer.
  mutating func page(_ query: AdminQuery, of tables: TableOperator, at now: UInt64 = MonotonicClock.now()) -> [UInt8]? {
    if readAt.map({ now - $0 >= Self.ageNanosecondsMax }) ?? true {
      guard let present = tables.tables() else { return nil }
      read(present, at: now)
    }
    let search = query["search"] ?? ""
    let found =
      search.isEmpty ? rows : rows.filter { $0.table.name.contains(search) || $0.table.typeText.contains(search) }
    let limit = min(max(1, query.number("limit") ?? Self.limitStandard), Self.limitMax)
    let offset = min(query.number("offset") ?? 0, found.count)
    let page = Self.sorted(found, by: query["sort"] ?? "name").dropFirst(offset).prefix(limit)
    var json = JSONWriter()
    json.object { json in
      json.field("total", found.count)
      json.field("offset", offset)
      json.field("tables") { json in json.array { json in for row in page { Self.write(row, &json) } } }
    }
    return json.bytes
  }

  private mutating func read(_ tables: [LiveTable], at now: UInt64) {
    let seconds = readAt.map { Double(now - $0) / 1e9 }
    let before = Dictionary(rows.map { ($0.table.name, $0.table) }) { $1 }
    rows = tables.map { table in
      guard let seconds, let old = before[table.name], old.epoch == table.epoch, old.revision <= table.revision else {
        return Row(table: table, rate: nil)
      }
      return Row(table: table, rate: Double(table.revision.rawValue - old.revision.rawValue) / seconds)
    }
    readAt = now
  }

  private static func sorted(_ rows: [Row], by key: String) -> [Row] {
    switch key {
    case "members": rows.sorted { ($1.table.members, $0.table.name) < ($0.table.members, $1.table.name) }
    case "bytes": rows.sorted { ($1.table.bytes, $0.table.name) < ($0.table.bytes, $1.table.name) }
    case "rate": rows.sorted { ($1.rate ?? 0, $0.table.name) < ($0.rate ?? 0, $1.table.name) }
    case _: rows.sorted { $0.table.name < $1.table.name }
    }
  }

  // MARK: JSON

  /// Returns a table, with its seats, as JSON.
  static func description(of tables: [LiveTable]) -> [UInt8] {
    var json = JSONWriter()
    if let table = tables.first { write(Row(table: table, rate: nil), withSeats: true, &json) } else { json.null() }
    return json.bytes
  }

  private static func write(_ row: Row, withSeats: Bool = false, _ json: inout JSONWriter) {
    let table = row.table
    json.object { json in
      json.field("name", table.name)
      json.field("type", table.typeText)
      json.field("status", table.status)
      json.field("revision", table.revision.rawValue)
      json.field("epoch", table.epoch.rawValue)
      json.field("items", table.items)
      json.field("bytes", table.bytes)
      json.field("members", table.members)
      json.field("sessions", table.sessions)
      json.field("olderDocument", table.hasOlderDocument)
      if let rate = row.rate { json.field("operationsPerSecond") { $0.number(rate) } }
      guard withSeats else { return }
      json.field("seats") { json in
        json.array { json in
          for seat in table.seats {
            json.object { json in
              json.field("number", seat.number.rawValue)
              json.field("name", seat.name)
            }
          }
        }
      }
    }
  }
}
