#if PostgreSQL
  internal import BaizeSync

  /// The lease as a program has read it.
  struct PostgresLease: Hashable {
    var epoch: Int64
    /// The number that its holder has drawn; 0 if the lease was given up.
    var holder: Int64
    /// The name of the holder's node; empty if it is not one of several.
    var node: String
    /// When it ends by the clock of the server, in microseconds since 1970; 0 if it was never renewed. Each renewal changes it.
    var end: Int64
    /// Whether it has ended by the clock of the server, which only tools look at.
    var hasEnded: Bool
  }

  extension PostgresLease {
    static let query = PostgresStatement(
      """
      select epoch, holder, node, coalesce((extract(epoch from expires_at) * 1000000)::bigint, 0),
        coalesce(expires_at <= now(), true)::int
      from baize_lease where id = 1
      """)

    /// - Throws: ``JournalError`` if there is none.
    init(_ row: PostgresResult) throws(JournalError) {
      guard row.count == 1 else { throw JournalError(.corrupt, "\(PostgresFailure.name) has no lease") }
      (epoch, holder, node) = (row.integer(0, 0), row.integer(0, 1), row.text(0, 2))
      (end, hasEnded) = (row.integer(0, 3), row.integer(0, 4) == 1)
    }
  }

  /// Finds out whether the holder of the lease is gone, by the clock of the one who waits.
  struct PostgresLeaseWatch {
    /// The name of the node that waits.
    let name: String
    /// The lease as it was when it had changed, and when that answer came.
    private var last: (lease: PostgresLease, time: UInt64)?

    init(for name: String) { self.name = name }

    /// Looks at the lease.
    ///
    /// - Parameters:
    ///   - lease: The lease.
    ///   - asked: When it was asked for, in nanoseconds of any clock.
    ///   - answered: When the answer came.
    /// - Returns: Whether it may be taken: it was given up, or an earlier start of this node had it, or it has not changed for long.
    mutating func mayTake(_ lease: PostgresLease, asked: UInt64, answered: UInt64) -> Bool {
      var lease = lease
      // The server's clock counts for nothing.
      lease.hasEnded = false
      if lease.holder == 0 || lease.node == name { return true }
      guard let last, last.lease == lease else {
        last = (lease, answered)
        return false
      }
      return asked >= last.time + JournalNode.leaseNanoseconds
    }

    /// Forgets what was seen: while the server does not answer, nobody can renew the lease.
    mutating func forget() { last = nil }
  }
#endif
