import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire

/// A person at a board of one's own.
struct HonestPerson {
  static let boardType = "kanban?columns=fixed&cards=1"

  let client: BlockingClient
  private(set) var joined: BlockingClient.Joined
  private var sequence: UInt64 = 0

  private static let secondsMax = 20

  /// Joins a board, and makes it if there is none.
  ///
  /// - Parameters:
  ///   - type: The type of the board; empty if it has to be there.
  ///   - source: The last byte of the person's address on this machine.
  init(_ address: SocketAddress, _ table: String, _ type: String = boardType, from source: UInt8) throws {
    client = try BlockingClient(address, from: source)
    client.wait(seconds: Self.secondsMax)
    joined = try client.join(Hello(table: table, tableType: type, name: "someone"))
  }

  /// Adds cards, one after the other, up to the first that is not accepted.
  ///
  /// - Throws: ``RunFailure`` with what the daemon said of that one.
  mutating func add(_ count: Int = 1) throws {
    let item = NewItem(attributes: [Attribute("title", String(repeating: "c", count: 200))])
    for _ in 0..<count { try perform(.insert([item], .end(of: .first))) }
  }

  /// Moves the board's first card to the other one of two columns.
  ///
  /// - Throws: ``RunFailure`` with what the daemon said if it is not accepted.
  mutating func move() throws {
    let column = CollectionHandle(rawValue: sequence % 2 == 0 ? 2 : 1)
    try perform(.move([joined.items[0]], to: .end(of: column)))
  }

  /// Performs an operation, and waits for its answer.
  ///
  /// - Throws: ``RunFailure`` with what the daemon said if it is not accepted.
  mutating func perform(_ kind: TableOperation.Kind) throws {
    sequence += 1
    client.send(joined.operation(kind, number: sequence))
    let number = SequenceNumber(rawValue: sequence)
    let answer = try client.first { message -> ServerMessage? in
      switch message {
      case .diff(let diff) where diff.sequence == number && diff.author == joined.welcome.session: message
      case .outcome(let outcome) where outcome.sequence == number: message
      case .goodbye: message
      case _: nil
      }
    }
    guard case .diff(let diff)? = answer else {
      throw RunFailure("not accepted: \(answer.map { "\($0)" } ?? "no answer")")
    }
    joined.revision = diff.revision
  }
}

extension CollectionHandle {
  /// The handle of a table's first collection.
  static let first = CollectionHandle(rawValue: 1)
}
