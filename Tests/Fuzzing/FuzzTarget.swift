import BaizeTable
import BaizeWire
import Foundation

/// The code that reads untrusted bytes. Each target checks properties beyond "no trap"; a violation traps with a
/// description.
enum FuzzTarget: String, CaseIterable {
  /// Frames in a stream that arrives in pieces.
  case frames
  /// Messages of clients.
  case clientMessages = "client-messages"
  /// Messages of daemons.
  case serverMessages = "server-messages"
  /// A client of a daemon that sends anything.
  case client
  /// A table type's document, and a table made from it.
  case tableTypes = "table-types"
  /// A table in a journal, and a daemon that continues from it.
  case journal
  /// A shard whose clients send anything, in any order.
  case shard
  /// Requests of HTTP in a stream that arrives in pieces.
  case http
  /// Frames of WebSocket in a stream that arrives in pieces.
  case webSocket = "websocket"
  /// The header that a proxy puts in front of a connection.
  case proxy
  #if OpenSSL
    /// Signed tokens, and the files of keys that verify them.
    case tokens
  #endif

  /// Runs the target once.
  ///
  /// - Returns: Whether the bytes were valid for it.
  func run(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .frames: FramesTarget.run(bytes)
    case .clientMessages:
      MessageTarget.run(bytes, decode: { try ClientMessage(legal: $0) }, encode: { $0.encoded() })
    case .serverMessages:
      MessageTarget.run(bytes, decode: { try ServerMessage(decoding: $0) }, encode: { $0.encoded() })
    case .client: ClientTarget.run(bytes)
    case .tableTypes: TableTypesTarget.run(bytes)
    case .journal: JournalTarget.run(bytes)
    case .shard: ShardTarget.run(bytes)
    case .http: HTTPTarget.run(bytes)
    case .webSocket: WebSocketTarget.run(bytes)
    case .proxy: ProxyTarget.run(bytes)
    #if OpenSSL
      case .tokens: TokenTarget.run(bytes)
    #endif
    }
  }
}

extension ClientMessage {
  /// Decodes a message, but no operation with a defect: that has no encoding. What is left of such an operation is legal.
  fileprivate init(legal bytes: [UInt8]) throws {
    self = try ClientMessage(decoding: bytes)
    if case .operation(let operation) = self { try operation.kind.expectLegal() }
  }
}

extension TableOperation.Kind {
  fileprivate func expectLegal() throws(Refusal) {
    if case .invalid(let defect, of: let rest) = self {
      hold(rest.defect == nil, "\(rest) was left of an operation")
      throw defect.refusal
    }
    hold(defect == nil, "\(self) was accepted")
  }
}

/// A property that every input must keep.
func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  // A precondition would say nothing in an optimized build.
  if !condition { fatalError("BROKEN: \(sentence())") }
}

/// Prints a trace if `BAIZE_FUZZ_NARRATES` is in the environment, to read a script that failed.
func trace(_ sentence: @autoclosure () -> String) {
  if traces { print(sentence()) }
}

private let traces = ProcessInfo.processInfo.environment["BAIZE_FUZZ_NARRATES"] != nil
