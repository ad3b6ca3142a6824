import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// I12: what an app or a foreign client sends too long or too many costs one operation, never the session.
  @Suite struct OversizedInputTests {
    private static let seed: UInt64 = 1
    private static let count = 1_000
    private static let hello = Hello(table: "oversized", tableType: "list?items=5")

    @Test func `I12: 1,000 inputs beyond the limits, by the library and by frames, get one refusal each`() async throws
    {
      try await withServer { server in
        var inputs = OversizedInputGenerator(seed: Self.seed)
        let client = try await server.joinAsApp(Self.hello.table, Self.hello.tableType)
        var raw = try RawSession(server.address, Self.hello)
        let (session, rawSession, order) = (client.session, raw.session, client.itemIDs(in: "items"))
        for number in 0..<Self.count {
          let input = inputs.next()
          let submission = client.submit(input.kind, sendsRefused: input.isAlwaysLocal)
          let refusal = try #require(submission.refusal, "seed \(Self.seed), input \(number): \(input.part)")
          #expect(submission.operation == nil && submission.changes.isEmpty && !refusal.detail.isEmpty)
          if input.fitsFrame {
            #expect(try raw.refusal(of: input.kind) == refusal, "seed \(Self.seed), input \(number): \(input.part)")
          } else {
            #expect(try raw.goodbye(after: input.kind)?.isResumable == true)
            try raw.resume()
            #expect(raw.session == rawSession)
          }
        }
        // Both sessions continue, and nothing has changed.
        #expect(try raw.refusal(of: .move([order[0]], to: .end(of: CollectionHandle(rawValue: 1)))) == nil)
        #expect(try await eventually { client.itemIDs(in: "items") == Array(order[1...] + order[...0]) })
        let last = client.move(fromOffsets: [4], toOffset: 0, in: "items")
        #expect(try await last.outcome.isAccepted)
        #expect(client.session == session && client.connection == .live && client.itemIDs(in: "items") == order)
        #expect(client.pendingCount == 0 && raw.session == rawSession)
      }
    }

    @Test func `I12: a join with a text that is too long throws the field, and connects to nobody`() async throws {
      for field in Hello.Field.allCases where ![.credential, .sessionName, .ticket, .signedToken].contains(field) {
        let text = String(repeating: "x", count: field.bytesMax + 5)
        var configuration = ClientConfiguration(table: "t")
        switch field {
        case .table: configuration.table = text
        case .tableType: configuration.tableType = text
        case .name: configuration.name = text
        case .invite: configuration.invite = text
        case .credential, .sessionName, .ticket, .signedToken: break
        }
        await #expect(throws: JoinError.tooLong(field, bytes: field.bytesMax + 5)) {
          _ = try await TableClient.join("127.0.0.1:1", configuration)
        }
      }
    }
  }
}

/// A session of a client that sends what it likes.
private struct RawSession {
  private let address: SocketAddress
  private let hello: Hello
  private var client: BlockingClient
  private var joined: BlockingClient.Joined
  private var number: UInt64 = 0

  init(_ address: SocketAddress, _ hello: Hello) throws {
    self.address = address
    var hello = hello
    hello.credential = Array(repeating: 7, count: WireLimits.credentialBytes)
    self.hello = hello
    (client, joined) = try BlockingClient.joining(address, hello)
  }

  var session: SessionID { joined.welcome.session }

  /// Sends an operation, and reads up to its answer.
  ///
  /// - Returns: The refusal; `nil` if it was accepted.
  mutating func refusal(of kind: TableOperation.Kind) throws -> Refusal? {
    number += 1
    client.send(joined.operation(kind, number: number))
    let (session, number) = (session, number)
    let refusal = try client.first { message -> Refusal?? in
      switch message {
      case .outcome(let outcome) where outcome.sequence.rawValue == number && outcome.verdict == .refused:
        .some(outcome.refusal)
      case .diff(let diff) where diff.author == session && diff.sequence.rawValue == number: .some(nil)
      case .outcome, .goodbye: .some(Refusal(.forbidden, detail: "\(message)"))
      case .diff, .welcome, .snapshot, .drag, .presence, .chat, .countdown, .tokenTime, .watching, .pong, .seats,
        .unknown:
        nil
      }
    }
    return try #require(refusal)
  }

  /// Sends an operation in a frame that is too long, and reads up to the goodbye.
  func goodbye(after kind: TableOperation.Kind) throws -> Goodbye? {
    client.send(joined.operation(kind, number: number + 1))
    return try client.first(\.goodbye)
  }

  mutating func resume() throws {
    (client, joined) = try BlockingClient.joining(address, hello)
    #expect(joined.welcome.lastSequence.rawValue == number)
  }
}

/// Operations of which one part exceeds a limit.
private struct OversizedInputGenerator {
  struct Input {
    let part: String
    let kind: TableOperation.Kind
    /// Whether the library never sends it, even if its app insists.
    var isAlwaysLocal = true
    var fitsFrame = true
  }

  private var random: RandomSource
  private static let list = CollectionHandle(rawValue: 1)

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  mutating func next() -> Input {
    switch random.next(below: 26) {
    case 0: return tooLongFrame()
    case 1...3:
      return attribute("a text", Attribute("a", text(WireLimits.attributeTextBytesMax + more(4_000))))
    case 4...6: return attribute("a name", Attribute(text(WireLimits.attributeNameBytesMax + more(100)), 1))
    case 7...9:
      let type = text(WireLimits.contentTypeBytesMax + more(200))
      return face("a content type", [], [Representation(contentType: type, data: [1])])
    case 10, 11:
      return Input(
        part: "an action", kind: .perform(action: text(WireLimits.actionBytesMax + more(300)), items: [], nil))
    case 12...14:
      let count = WireLimits.itemAttributesMax + more(40)
      return face("attributes", (0..<count).map { Attribute("a\($0)", 1) }, [])
    case 15...17:
      let count = WireLimits.itemRepresentationsMax + more(20)
      return face("representations", [], (0..<count).map { Representation(contentType: "t\($0)", data: []) })
    case 18, 19:
      let items = [NewItem](repeating: NewItem(), count: TableLimits.itemsPerOperationMax + more(200))
      return Input(part: "new items", kind: .insert(items, .end(of: Self.list)), isAlwaysLocal: false)
    case 20...22:
      let count = TableLimits.itemsPerOperationMax + more(200)
      let items = ItemList((0..<count).map { ItemID(rawValue: UInt64($0 % 5 + 1)) })
      let kind: TableOperation.Kind =
        random.next(below: 2) == 0 ? .remove(items) : .move(items, to: .end(of: Self.list))
      return Input(part: "items", kind: kind, isAlwaysLocal: false)
    default:
      let item = NewItem(attributes: [Attribute("a", text(340 + more(80)))])
      let items = [NewItem](repeating: item, count: TableLimits.itemsPerOperationMax)
      return Input(part: "contents", kind: .insert(items, .end(of: Self.list)), isAlwaysLocal: false)
    }
  }

  private mutating func more(_ most: Int) -> Int {
    // One too many as often as many too many.
    random.next(below: 2) == 0 ? 1 : 1 + Int(random.next(below: UInt64(most)))
  }

  private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  private mutating func attribute(_ part: String, _ attribute: Attribute) -> Input {
    face(part, [Attribute("b", 1), attribute], [])
  }

  private mutating func face(
    _ part: String, _ attributes: [Attribute], _ representations: [Representation]
  ) -> Input {
    if random.next(below: 2) == 0 {
      return Input(
        part: part,
        kind: .update(ItemID(rawValue: 1), attributes: attributes, representations: representations))
    }
    let item = NewItem(attributes: attributes, representations: representations)
    return Input(part: part, kind: .insert([NewItem(), item], .end(of: Self.list)))
  }

  private mutating func tooLongFrame() -> Input {
    let data = [UInt8](repeating: 1, count: WireLimits.frameBytesMax + more(10_000))
    let kind = TableOperation.Kind.update(
      ItemID(rawValue: 1), attributes: [], representations: [Representation(contentType: "t", data: data)])
    return Input(part: "a frame", kind: kind, fitsFrame: false)
  }
}
