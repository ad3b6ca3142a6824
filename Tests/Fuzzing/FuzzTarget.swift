import Foundation

/// What bytes from a stranger come to first. Each target holds properties beyond "no trap"; one that does not hold is a
/// trap of its own, with the sentence that says which.
enum FuzzTarget: String, CaseIterable {
  /// Frames in a stream that comes in pieces.
  case frames
  /// What a client says.
  case clientMessages = "client-messages"
  /// What a daemon says.
  case serverMessages = "server-messages"
  /// A client at the hands of a daemon that says anything.
  case client
  /// A table type's document, and a table made from it.
  case tableTypes = "table-types"
  /// A table as a journal has it, and a daemon that goes on from there.
  case journal
  /// A shard at the hands of clients that say anything, in any order.
  case shard

  /// Runs the target once.
  ///
  /// - Returns: Whether the bytes made sense to it.
  func run(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .frames: FramesTarget.run(bytes)
    case .clientMessages: ClientMessagesTarget.run(bytes)
    case .serverMessages: ServerMessagesTarget.run(bytes)
    case .client: ClientTarget.run(bytes)
    case .tableTypes: TableTypesTarget.run(bytes)
    case .journal: JournalTarget.run(bytes)
    case .shard: ShardTarget.run(bytes)
    }
  }
}

/// A property that every input must keep.
func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  // A precondition would say nothing in an optimized build.
  if !condition { fatalError("BROKEN: \(sentence())") }
}

/// Says what happens, where `BAIZE_FUZZ_NARRATES` is in the environment: to read a script that broke something.
func narrate(_ sentence: @autoclosure () -> String) {
  if narrates { print(sentence()) }
}

private let narrates = ProcessInfo.processInfo.environment["BAIZE_FUZZ_NARRATES"] != nil
