import BaizeSync
import BaizeTable
import BaizeWire

/// Judges moves of authors who have each missed the others' diffs since their base.
struct JudgeTask: CoreTask {
  private var authority: CoreAuthority
  private let authors: Int
  private let unseen: UInt64
  private let moves: [TableOperation.Kind]
  private var next = 0

  init(_ measured: CoreCase, operations: Int) throws {
    // Enough authors that each has its next turn only when its last move is older than its base.
    authors = measured.unseen + 2
    unseen = UInt64(measured.unseen)
    authority = try CoreAuthority(items: measured.items, authors: authors)
    var moves: [TableOperation.Kind] = []
    for _ in 0..<operations { moves.append(authority.nextMove()) }
    self.moves = moves
    // Fills the history to its limit.
    for _ in 0..<TableLimits.historyRevisionsMax { judge(authority.nextMove()) }
  }

  mutating func perform(_ range: Range<Int>) {
    for number in range { judge(moves[number]) }
  }

  private mutating func judge(_ move: TableOperation.Kind) {
    next = next + 1 < authors ? next + 1 : 0
    _ = authority.judge(authority.operation(move, by: next, unseen: unseen), by: next)
  }
}

/// Receives frames as a shard's loop does, 64 per turn.
struct ShardTask: CoreTask {
  private var shard: CoreShard
  private var frames: [[UInt8]] = []

  private static let players = 4
  private static let framesPerTurn = 64

  init(_ measured: CoreCase, operations: Int) {
    shard = CoreShard(
      tableType: "list?items=\(measured.items)", tables: 1, players: Self.players, durability: .memory)
    var rehearsal = CoreAuthority(shard.state(ofTable: 0), authors: Self.players)
    for number in 0..<operations {
      let operation = rehearsal.operation(rehearsal.nextMove(), by: number % Self.players)
      _ = rehearsal.judge(operation, by: number % Self.players)
      frames.append(ClientMessage.operation(operation).framed())
    }
  }

  mutating func perform(_ range: Range<Int>) {
    for number in range {
      shard.receive(frames[number], on: shard.connections[number % Self.players])
      if number % Self.framesPerTurn == Self.framesPerTurn - 1 { shard.endTurn() }
    }
  }
}

/// Decodes operations as a daemon receives them.
struct DecodeTask: CoreTask {
  private let frames: [[UInt8]]
  private var sum: UInt64 = 0

  init(_ measured: CoreCase, operations: Int) throws {
    var authority = try CoreAuthority(items: measured.items, authors: 1)
    frames = (0..<operations).map { _ in
      ClientMessage.operation(authority.nextAccepted(by: 0).operation).encoded()
    }
  }

  mutating func perform(_ range: Range<Int>) throws {
    for number in range {
      let message = try frames[number].withUnsafeBytes { try ClientMessage(decoding: $0) }
      if case .operation(let operation) = message { sum &+= operation.base.rawValue }
    }
  }
}

/// Encodes diffs into a reused buffer, 64 per turn.
struct EncodeTask: CoreTask {
  private let diffs: [Diff]
  private let buffer = FrameBuffer()

  private final class FrameBuffer {
    var writer = FrameWriter()
  }

  init(_ measured: CoreCase, operations: Int) throws {
    var authority = try CoreAuthority(items: measured.items, authors: 1)
    diffs = (0..<operations).map { _ in authority.nextAccepted(by: 0).diff }
  }

  mutating func perform(_ range: Range<Int>) {
    for number in range {
      if number % 64 == 0 { buffer.writer.removeAll() }
      buffer.writer.frame(diffs[number], for: .spectator, isAuthor: false)
    }
  }
}
