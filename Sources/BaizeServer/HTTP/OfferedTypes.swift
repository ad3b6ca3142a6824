import BaizeSync
import BaizeTableTypes
import Synchronization

/// The operator's own table types, which the start page offers besides the bundled ones: `/types.json`, a list of their documents.
final class OfferedTypes: Sendable {
  /// The maximum size of the list, in bytes. A document for which there is no more room is left out; tables of its type can be made all
  /// the same.
  private static let bytesMax = 256 << 10

  /// The size of unsent responses, in bytes, up to which the list is sent: each has a copy of it until its client has taken it.
  static let queuedBytesMax = 16 << 20

  private let isOpen: Bool
  private let list: Mutex<List>

  /// The documents, and the tag of these contents: it costs a pass over them, which no request repeats.
  struct List: Sendable {
    let bytes: [UInt8]
    let tag: String

    init(_ bytes: [UInt8]) { (self.bytes, tag) = (bytes, bytes.withUnsafeBytes { WebFiles.tag($0) }) }
  }

  /// - Parameter creation: Who may create tables. Unless everyone may, nothing is offered.
  init(_ library: TableTypeLibrary, for creation: CreationRight) {
    if case .anyone = creation { isOpen = true } else { isOpen = false }
    list = Mutex(Self.list(isOpen ? library : TableTypeLibrary()))
  }

  /// The present list.
  var present: List { list.withLock { $0 } }

  /// Takes over table types that were read again.
  func reload(_ library: TableTypeLibrary) {
    let list = Self.list(isOpen ? library : TableTypeLibrary())
    self.list.withLock { $0 = list }
  }

  private static func list(_ library: TableTypeLibrary) -> List {
    var list: [UInt8] = []
    for document in library.ownDocuments where list.count + document.text.utf8.count + 2 <= bytesMax {
      list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
      list += document.text.utf8
    }
    return List((list.isEmpty ? Array("[".utf8) : list) + Array("]".utf8))
  }
}
