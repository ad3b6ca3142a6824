import BaizeHTTP
public import BaizeSync
public import BaizeTable

/// A table as JSON, for programs and for people.
///
/// ```
/// { "baize": 1, "table": …, "type": "klondike?draw=3", "view": "all", "revision": …, "epoch": …, "status": "open",
///   "variables": { "redeals": 1 },
///   "seats": [ { "number": 1, "name": …, "person": 1 } ],
///   "collections": [ { "id": "pile/0", "enabled": true, "count": 3, "items": [
///     { "id": 17, "hidden": true }, { "id": 9, "pinned": true, "attributes": { "rank": 6 },
///       "representations": [ { "type": "text/plain", "text": … }, { "type": "image/png", "base64": … } ] },
///     { "id": 12, "opens": "column/7", "attributes": … }, { "id": 14, "aliasOf": 9, "attributes": … } ] } ],
///   "document": "…" }
/// ```
///
/// `count` is the number of items that are there; `items` has those that the view may see. `document` is the table type's
/// document. Ids, numbers and texts are those of the protocol.
public struct TableExport {
  /// The viewer whose view is exported.
  public enum View: Hashable, Sendable {
    /// Every face, also those that nobody may see.
    case all
    /// The view of a seat, or of the spectators.
    case seat(SeatNumber)
  }

  private let name: String
  private let typeText: String
  private let epoch: Epoch
  private let state: TableState
  private let view: View

  /// Creates an export.
  ///
  /// - Parameters:
  ///   - state: The table's state, with every face.
  ///   - name: The table's name.
  ///   - typeText: The table type as the creator named it.
  ///   - epoch: The table's epoch.
  ///   - view: The view to export.
  /// - Throws: `DiffMismatch` if the state contradicts itself.
  public init(
    _ state: TableState, name: String, typeText: String, epoch: Epoch, view: View = .all
  ) throws(DiffMismatch) {
    (self.name, self.typeText, self.epoch, self.view) = (name, typeText, epoch, view)
    switch view {
    case .all: self.state = state
    case .seat(let seat): self.state = try state.view(for: seat)
    }
  }

  /// Creates an export of a table as a journal has it.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - view: The view to export.
  /// - Throws: `DiffMismatch` if the state contradicts itself.
  public init(_ table: RestoredTable, view: View = .all) throws(DiffMismatch) {
    try self.init(
      table.state, name: table.definition.name, typeText: table.definition.typeText, epoch: table.epoch, view: view)
  }

  /// The JSON text, in UTF-8.
  ///
  /// - Complexity: O(size of the table).
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.object { json in
      json.field("baize", 1)
      json.field("table", name)
      json.field("type", typeText)
      json.field("view", viewName)
      json.field("revision", state.revision.rawValue)
      json.field("epoch", epoch.rawValue)
      json.field("status", state.status)
      json.field("variables") { Self.write(state.variables, &$0) }
      json.field("seats") { json in json.array { json in for seat in state.seats { Self.write(seat, &json) } } }
      json.field("collections") { json in
        json.array { json in for handle in state.handles { write(handle, &json) } }
      }
      json.field("document", state.type.document)
    }
    return writer.bytes
  }

  private var viewName: String {
    switch view {
    case .all: "all"
    case .seat(.spectator): "spectator"
    case .seat(let seat): "\(seat.rawValue)"
    }
  }

  private func write(_ handle: CollectionHandle, _ json: inout JSONWriter) {
    json.object { json in
      json.field("id", state.rules(of: handle).id)
      json.field("enabled", state.isEnabled(handle))
      json.field("count", state.count(in: handle))
      json.field("items") { json in
        json.array { json in
          var offset = 0
          while true {
            let items = state.items(in: handle, from: offset, limit: Self.itemsAtOnce)
            for item in items { write(item, &json) }
            offset += items.count
            guard items.count == Self.itemsAtOnce else { break }
          }
        }
      }
    }
  }

  private static let itemsAtOnce = 1_000

  private func write(_ item: Item, _ json: inout JSONWriter) {
    json.object { json in
      json.field("id", item.id.rawValue)
      if item.isPinned { json.field("pinned", true) }
      if item.opens != .none { json.field("opens", state.rules(of: item.opens).id) }
      if item.aliasOf != .none { json.field("aliasOf", item.aliasOf.rawValue) }
      // In an export of everything, the face of a hidden item follows.
      if item.visibility == .nobody { json.field("hidden", true) }
      guard view == .all || item.visibility != .nobody else { return }
      json.field("attributes") { Self.write(item.face.attributes, &$0) }
      guard !item.face.representations.isEmpty else { return }
      json.field("representations") { json in
        json.array { json in for representation in item.face.representations { Self.write(representation, &json) } }
      }
    }
  }

  private static func write(_ attributes: [Attribute], _ json: inout JSONWriter) {
    json.object { json in
      for attribute in attributes {
        switch attribute.value {
        case .number(let number)?: json.field(attribute.name, number)
        case .text(let text)?: json.field(attribute.name, text)
        case nil: break
        }
      }
    }
  }

  private static func write(_ seat: Seat, _ json: inout JSONWriter) {
    json.object { json in
      json.field("number", seat.number.rawValue)
      json.field("name", seat.name)
      json.field("person", seat.person.rawValue)
    }
  }

  private static func write(_ representation: Representation, _ json: inout JSONWriter) {
    json.object { json in
      json.field("type", representation.contentType)
      if representation.contentType.hasPrefix("text/"),
        let text = String(validating: representation.data, as: UTF8.self)
      {
        json.field("text", text)
      } else {
        json.field("base64", Base64.encode(representation.data))
      }
    }
  }
}
