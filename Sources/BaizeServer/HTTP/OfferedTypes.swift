import BaizeSync
import BaizeTableTypes
import Synchronization

/// The operator's own table types, which the start page offers besides the bundled ones: `/types.json`, a list of their documents.
final class OfferedTypes: Sendable {
  /// The maximum size of the list, in bytes. A document for which there is no more room is left out; tables of its type can be made all
  /// the same.
  private static let bytesMax = 256 << 10

  private let isOpen: Bool
  private let json: Mutex<[UInt8]>

  /// - Parameter creation: Who may create tables. Unless everyone may, nothing is offered.
  init(_ library: TableTypeLibrary, for creation: CreationRight) {
    if case .anyone = creation { isOpen = true } else { isOpen = false }
    json = Mutex(Self.list(isOpen ? library : TableTypeLibrary()))
  }

  /// The list.
  var bytes: [UInt8] { json.withLock { $0 } }

  /// Takes over table types that were read again.
  func reload(_ library: TableTypeLibrary) {
    let list = Self.list(isOpen ? library : TableTypeLibrary())
    json.withLock { $0 = list }
  }

  private static func list(_ library: TableTypeLibrary) -> [UInt8] {
    var list: [UInt8] = []
    for document in library.ownDocuments where list.count + document.text.utf8.count + 2 <= bytesMax {
      list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
      list += document.text.utf8
    }
    return (list.isEmpty ? Array("[".utf8) : list) + Array("]".utf8)
  }
}
