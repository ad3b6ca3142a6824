public import BaizeTable
import BaizeWire

/// A table's move to another document of its type, as the journal has it.
public struct StoredMigration: Hashable, Sendable {
  /// The type as a creator would name it now, such as `klondike?draw=3`.
  public var typeText: String
  /// The document that the table continues with.
  public var document: String
  /// The value of each of the document's options.
  public var options: [Attribute]
  /// The key of the ids in private collections, if the table had none; a secret.
  var idKey: IDKey?

  /// The two words of a key.
  struct IDKey: Hashable, Sendable {
    var first: UInt64
    var second: UInt64
  }
}

extension StoredMigration {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(typeText: "", document: "", options: [])
    var key = IDKey(first: 0, second: 0)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: typeText = try reader.string(field)
      case 2: document = try reader.string(field)
      case 3: options = try [Attribute](reader.message(field))
      case 4: key.first = try reader.fixed64(field)
      case 5: key.second = try reader.fixed64(field)
      default: try reader.skip(field)
      }
    }
    if key != IDKey(first: 0, second: 0) { idKey = key }
  }

  func encode(into writer: inout ByteWriter) {
    writer.string(1, typeText)
    writer.string(2, document)
    writer.message(3) { $0.attributes(1, options) }
    if let idKey {
      writer.fixed64(4, idKey.first)
      writer.fixed64(5, idKey.second)
    }
  }
}

extension TableDefinition {
  /// Continues with another document.
  mutating func move(by migration: StoredMigration) {
    (typeText, document, options) = (migration.typeText, migration.document, migration.options)
  }
}

extension TableDefinition {
  /// Returns the definition in a table's snapshot, given that with which the table was created.
  ///
  /// - Parameter head: The first part of the snapshot.
  /// - Throws: ``JournalError`` of kind `corrupt` if the part is malformed.
  package func present(in head: JournalSnapshotPart) throws(JournalError) -> TableDefinition {
    var present = self
    if let migration = try StoredSnapshotPart(decoding: head.bytes).migration { present.move(by: migration) }
    return present
  }

  /// Returns the definition after a record, given that before it.
  ///
  /// - Throws: ``JournalError`` of kind `corrupt` if the record is malformed.
  package func present(after record: JournalRecord) throws(JournalError) -> TableDefinition {
    var present = self
    try JournalEntry.forEach(in: record.bytes) { entry in
      if case .migrated(let migration) = entry { present.move(by: migration) }
    }
    return present
  }
}
