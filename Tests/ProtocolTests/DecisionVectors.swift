import BaizeTable

/// `Protocol/vectors/decisions.json`.
struct DecisionVectors: Codable {
  var description: String
  var cases: [Decision]

  static let name = "decisions.json"
  static let head = """
    Decisions of the rules (README.md, X4). Each case is a table of the `type`, with options, and one operation on \
    it. `collections` has the items, first to last, of those that are not empty: `name` stands for the id (any will \
    do), `attributes`, `representations`, `up` (whether it is face up; if absent, as the collection's `faces` \
    says) and `pinned`. `variables`, `status` and `disabled` (collections that are not in use) are the table type's \
    own if absent. `seats` are taken (if absent, none is known to be). `seat` asks, 0 is a spectator; the base is the \
    present state. `operation` is one of `reorder`, `insert`, `remove`, `update`, `perform`, `undo` (the number of an own \
    operation); in a destination `to` is the collection, `before` the anchor (absent: the end); `suggested` lists the \
    operations offered (absent: 0). `earlier` has operations that were accepted before it, each with its `seat`, whose \
    session it is, too; a seat's are numbered from 1, and the base of each is the state that it meets. `after` says what \
    changed since them. `?` is an id that never was, and a collection \
    that the table type does not have is a handle that it does not have. `verdict` is `refused` with `reason` and \
    `rule`, `unchanged`, or `accepted`: `operation` and `redirected` as in the diff, the effective `to` and \
    `before`, the `count` of items moved, made or deleted; `after` has every collection that changed, `turned` the \
    items whose faces are sent anew, `status` and `variables` what changed of them. A name behind + is an item under \
    a new id: the one that an insert brings, or one with the face of the item so named. All of it is the truth, \
    private collections included, regardless of views.
    """
}

struct Decision: Codable, Sendable, Equatable {
  var id: String
  var says: String
  var type: String
  var collections: [String: [Piece]]
  var variables: [String: Scalar]?
  var status: String?
  var disabled: [String]?
  var seats: [UInt32]?
  var seat: UInt32?
  var earlier: [Earlier]?
  var operation: Asked
  var verdict: Verdict

  /// An item of the state, or one that an insert brings.
  struct Piece: Codable, Sendable, Equatable {
    var name: String
    var attributes: [String: Scalar]?
    var representations: [Content]?
    var up: Bool?
    var pinned: Bool?
  }

  struct Content: Codable, Sendable, Equatable {
    var contentType: String
    var text: String
  }

  struct Asked: Codable, Sendable, Equatable {
    var reorder: Reorder?
    var insert: Insert?
    var remove: [String]?
    var update: Update?
    var perform: Perform?
    var undo: UInt64?
  }

  struct Earlier: Codable, Sendable, Equatable {
    var seat: UInt32
    var operation: Asked
  }

  struct Reorder: Codable, Sendable, Equatable {
    var sources: [String]
    var to: String
    var before: String?
    var suggested: [String]?
  }

  struct Insert: Codable, Sendable, Equatable {
    var items: [Piece]
    var to: String
    var before: String?
  }

  struct Update: Codable, Sendable, Equatable {
    var item: String
    /// `null` deletes.
    var attributes: [String: Scalar?]
  }

  struct Perform: Codable, Sendable, Equatable {
    var action: String
    var items: [String]
  }

  struct Verdict: Codable, Sendable, Equatable {
    var accepted: Accepted?
    var unchanged: Bool?
    var refused: Refused?
  }

  struct Refused: Codable, Sendable, Equatable {
    var reason: String
    var rule: String
  }

  struct Accepted: Codable, Sendable, Equatable {
    var operation: String
    var to: String?
    var before: String?
    var count: Int?
    var redirected: Bool?
    var after: [String: [String]]
    var turned: [String]?
    var status: String?
    var variables: [String: Scalar]?
  }
}

/// A number or a text.
enum Scalar: Codable, Hashable, Sendable {
  case number(Int64)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }

  var value: AttributeValue {
    switch self {
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    }
  }

  init(_ value: AttributeValue) {
    switch value {
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    }
  }
}
