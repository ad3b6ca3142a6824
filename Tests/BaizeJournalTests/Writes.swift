import BaizeSync
import BaizeTable

/// Writes like those of a shard machine, with recognisable bytes.
enum Writes {
  static func table(_ name: String, document: String = #"{"name": "test"}"#) -> [JournalWrite] {
    let definition = TableDefinition(
      name: name, typeText: "test?cards=3", document: document,
      options: [Attribute("cards", 3), Attribute("mode", "ä")])
    return [.table(definition), snapshot(name, record: 0, revision: 0)]
  }

  static func record(_ name: String, _ number: UInt64, revision: UInt64? = nil, bytes count: Int = 40) -> JournalWrite {
    .record(
      JournalRecord(
        table: name, number: number, revision: Revision(rawValue: revision ?? number),
        bytes: bytes("\(name) \(number)", count)))
  }

  static func snapshot(
    _ name: String, record: UInt64, revision: UInt64, part: Int = 0, isLast: Bool = true, bytes count: Int = 60
  ) -> JournalWrite {
    .snapshot(
      JournalSnapshotPart(
        table: name, record: record, revision: Revision(rawValue: revision), number: part, isLast: isLast,
        bytes: bytes("\(name) at \(record) part \(part)", count)))
  }

  private static let pattern = (0..<1 << 16).map { UInt8(truncatingIfNeeded: $0) }

  /// Returns `text`, extended to a length.
  static func bytes(_ text: String, _ count: Int) -> ArraySlice<UInt8> {
    var bytes = Array(text.utf8)
    while bytes.count < count { bytes += pattern[(bytes.count & 255)...].prefix(count - bytes.count) }
    // A slice with a start index other than 0, like the machine's.
    return ([0xFF] + bytes)[1...]
  }
}

extension StoredTable {
  /// A summary, such as `s4.0 s4.1 r5 r6`.
  var summary: String {
    (snapshot.map { "s\($0.record).\($0.number)" } + records.map { "r\($0.number)" }).joined(separator: " ")
  }
}
