import BaizeTable

/// `Protocol/vectors/decisions.json`.
struct DecisionVectors: Decodable {
  var cases: [Decision]

  static let path = "Protocol/vectors/decisions.json"
}

struct Decision: Decodable, Sendable, Equatable {
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
  struct Piece: Decodable, Sendable, Equatable {
    var name: String
    var attributes: [String: Scalar]?
    var representations: [Content]?
    var up: Bool?
    var pinned: Bool?
  }

  struct Content: Decodable, Sendable, Equatable {
    var contentType: String
    var text: String
  }

  struct Asked: Decodable, Sendable, Equatable {
    var reorder: Reorder?
    var insert: Insert?
    var remove: [String]?
    var update: Update?
    var perform: Perform?
    var undo: UInt64?
    var expire: String?
  }

  struct Earlier: Decodable, Sendable, Equatable {
    var seat: UInt32
    var operation: Asked
  }

  struct Reorder: Decodable, Sendable, Equatable {
    var sources: [String]
    var to: String
    var before: String?
    var suggested: [String]?
  }

  struct Insert: Decodable, Sendable, Equatable {
    var items: [Piece]
    var to: String
    var before: String?
  }

  struct Update: Decodable, Sendable, Equatable {
    var item: String
    /// `null` deletes.
    var attributes: [String: Scalar?]
  }

  struct Perform: Decodable, Sendable, Equatable {
    var action: String
    var items: [String]
  }

  struct Verdict: Decodable, Sendable, Equatable {
    var accepted: Accepted?
    var unchanged: Bool?
    var refused: Refused?
  }

  struct Refused: Decodable, Sendable, Equatable {
    var reason: String
    var rule: String
  }

  struct Accepted: Decodable, Sendable, Equatable {
    var operation: String
    var to: String?
    var before: String?
    var count: Int?
    var redirected: Bool?
    var after: [String: [String]]
    var turned: [String]?
    /// By item, all attributes of those that a reorder gave others.
    var attributes: [String: [String: Scalar]]?
    var status: String?
    var variables: [String: Scalar]?
  }
}

/// A number or a text.
enum Scalar: Decodable, Hashable, Sendable {
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
