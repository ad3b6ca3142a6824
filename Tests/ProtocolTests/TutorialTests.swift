import BaizeSimulator
import BaizeSync
import Foundation
import TestSupport
import Testing

/// `Protocol/tutorial.md`: the daemon answers as the page shows. What the participants send stands on the page; with
/// `BAIZE_WRITE_VECTORS=1` the bytes of that and the daemon's answers are written there.
@Suite struct TutorialTests {
  private static let path = "Protocol/tutorial.md"

  @Test func `the exchange on the page is what a shard answers`() throws {
    let page = try Repository.text(Self.path)
    var exchange = Exchange(schema: try Schema(Repository.text("Protocol/baize.proto")))
    // Every second part is a block.
    let parts = page.components(separatedBy: "```\n")
    let replayed = try parts.enumerated().map { $0 % 2 == 1 ? try exchange.replay($1) : $1 }
    if ProcessInfo.processInfo.environment["BAIZE_WRITE_VECTORS"] == "1" {
      try Data(replayed.joined(separator: "```\n").utf8).write(to: Repository.root.appending(path: Self.path))
    }
    for (shown, found) in zip(parts, replayed) where shown != found {
      Issue.record("the page shows:\n\(shown)and this was sent:\n\(found)")
    }
    let kinds: Set = ["welcome", "snapshot", "diff", "outcome", "pong", "seats", "goodbye"]
    #expect(exchange.kinds == kinds, "the page has an example of each")
  }
}

/// The participants of the tutorial and a shard without sockets. What they send stands on the page.
private struct Exchange {
  let schema: Schema
  /// The kinds of messages that were received.
  private(set) var kinds: Set<String> = []
  private var host = ShardHost(ShardHostOptions { $0.allowsSeeds = true }, MemoryJournal())
  private var connections: [String: ConnectionID] = [:]
  private var received: [ConnectionID: [[UInt8]]] = [:]
  private var slots = 0
  private var now = Instant(nanoseconds: 1_000_000_000)

  init(schema: Schema) { self.schema = schema }

  /// Carries out a block of the page.
  ///
  /// - Returns: The block as it should be.
  mutating func replay(_ block: String) throws -> String {
    let title = block.prefix { $0 != "\n" }
    let name = String(title.prefix { $0.isLetter })
    if title.hasSuffix(" sends") {
      return "\(title)\n" + (try send(block.dropFirst(title.count), by: name))
    } else if title.hasSuffix(" receives") {
      return "\(title)\n" + (try receive(by: name))
    } else if title.hasSuffix(" connection is lost") {
      try settle()
      if let connection = connections.removeValue(forKey: name) { host.closed(connection, at: now) }
    }
    return block
  }

  private mutating func send(_ content: Substring, by name: String) throws -> String {
    // The bytes stand below the message.
    let json = content.split(separator: "\n").prefix { $0.wholeMatch(of: /([0-9a-f]{2} ?)+/) == nil }.joined()
    guard var body = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else { return json }
    var isComplete = true
    if var hello = body["hello"] as? [String: Any] {
      if hello["credential"] as? String == "…" {
        let credential = Data(repeating: UInt8(name.utf8.first ?? 0), count: 32)
        hello["credential"] = credential.base64EncodedString()
        isComplete = false
      }
      body["hello"] = hello
      connections[name] = host.connect(slot: slots, at: now)
      slots += 1
    }
    let message = try schema.bytes(body, as: "ClientMessage")
    guard let connection = connections[name] else { throw Schema.Mistake(text: "\(name) is not connected") }
    message.withUnsafeBytes { host.receive($0, on: connection, at: now) }
    let (kind, members) = try self.body(of: message, as: "ClientMessage")
    let text = Self.shown(kind, members, withCredential: isComplete)
    return isComplete ? text + Self.hexadecimal(Schema.delimited(message)) : text
  }

  private mutating func receive(by name: String) throws -> String {
    try settle()
    guard let connection = connections[name] else { throw Schema.Mistake(text: "\(name) is not connected") }
    return try (received.removeValue(forKey: connection) ?? []).map { message in
      let (kind, members) = try body(of: message, as: "ServerMessage")
      kinds.insert(kind)
      return Self.shown(kind, members)
    }.joined()
  }

  private mutating func settle() throws {
    now = now.advanced(byMilliseconds: 10)
    var frames: [(ConnectionID, [UInt8])] = []
    try host.settle(at: now, to: { frames.append(($0, Array($1))) })
    for (connection, frame) in frames {
      var message = frame[...]
      _ = try Schema.takeVarint(&message)
      received[connection, default: []].append(Array(message))
    }
  }

  // MARK: The page

  private func body(of message: [UInt8], as schemaName: String) throws -> (kind: String, members: [JSON.Member]) {
    guard case .object(let bodies) = try schema.json(message, as: schemaName), let body = bodies.first,
      case .object(let members) = body.value
    else { throw Schema.Mistake(text: "a message without a body") }
    return (body.name, members)
  }

  /// Returns a message as the page shows it: without what differs from daemon to daemon, and the long document.
  private static func shown(_ kind: String, _ members: [JSON.Member], withCredential: Bool = true) -> String {
    let short = members.map { member in
      let isShort =
        !["ticket", "server"].contains(member.name) && (kind, member.name) != ("welcome", "table_type")
        && (withCredential || member.name != "credential")
      return isShort ? member : JSON.Member(name: member.name, value: .text("…"))
    }
    return JSON.object([JSON.Member(name: kind, value: .object(short))]).formatted() + "\n"
  }

  private static func hexadecimal(_ frame: [UInt8]) -> String {
    stride(from: 0, to: frame.count, by: 32).map { start in
      frame[start..<min(start + 32, frame.count)].map { [$0].hex }.joined(separator: " ") + "\n"
    }.joined()
  }
}
