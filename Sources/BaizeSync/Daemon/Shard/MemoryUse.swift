/// The memory that a shard's clients make it use, in bytes, by what holds it.
public struct MemoryUse: Hashable, Sendable, BitwiseCopyable {
  /// Tables with their history, logs and sessions.
  public var tables = 0
  /// Tables that are being loaded or created.
  public var loading = 0
  /// The frames of the present turn, and of those that wait for their commit.
  public var frames = 0
  /// Connections, and the accounts of their addresses.
  public var connections = 0
  /// Output that peers have not read.
  public var outboxes = 0
  /// Writes that the journal has not committed.
  public var unwritten = 0
  /// Responses to HTTP requests that clients have not read.
  public var http = 0

  public init(
    tables: Int = 0, loading: Int = 0, frames: Int = 0, connections: Int = 0, outboxes: Int = 0, unwritten: Int = 0,
    http: Int = 0
  ) {
    (self.tables, self.loading, self.frames) = (tables, loading, frames)
    (self.connections, self.outboxes, self.unwritten, self.http) = (connections, outboxes, unwritten, http)
  }

  public var total: Int { tables + loading + frames + connections + outboxes + unwritten + http }

  public static func += (left: inout Self, right: Self) {
    left.tables += right.tables
    left.loading += right.loading
    left.frames += right.frames
    left.connections += right.connections
    left.outboxes += right.outboxes
    left.unwritten += right.unwritten
    left.http += right.http
  }
}
