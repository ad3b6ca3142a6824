#if PostgreSQL
  public import BaizeSync
  internal import BaizeSystem
  public import BaizeTable
  internal import BaizeTransport

  /// A journal in a PostgreSQL database: when ``commit(_:)`` returns, the writes are as durable as the server makes a commit.
  ///
  /// A commit is one transaction and one round trip, however many tables it concerns. It begins with the row of its turn, which
  /// only the daemon that holds the lease can insert (see ``PostgresSchema``): a later start of a daemon takes the lease, and the
  /// former one can write nothing more.
  ///
  /// When the connection is lost between a commit and its answer, nobody knows whether the commit is there. The next connection
  /// raises the epoch of the lease first, so that no earlier statement can still become durable, and then looks for the turn's row.
  ///
  /// ```
  /// commit ──▶ turn n of epoch e, writes ──▶ answered: durable
  ///                 │ no answer
  ///                 ▼ JournalError.unreachable: the same writes again, later
  ///            raise to e + 1 ──▶ is (e, n) there? ──▶ yes: durable    no: turn 1 of e + 1, with the same writes
  /// ```
  public final class PostgresJournal: JournalStore {
    /// The minimum number of revisions of history to keep; `nil` to keep all.
    let keepRevisions: UInt64?
    private(set) var limits: SyncLimits.Journal
    /// `nil` until there is a new one after a failure.
    private var connection: PostgresConnection?
    private let database: PostgresDatabase
    private let tables: PostgresTables

    /// The number that this start of a daemon has drawn.
    private let holder = Int64.random(in: 1...Int64.max)
    /// The last turn that was answered.
    private var last = Turn(epoch: 0, number: 0)
    /// The turn of a commit that was not answered.
    private var pending: Pending?
    private var hasLease = false
    /// The part of the daemon in a group of several; `nil` if it is none.
    private let node: JournalNode?
    /// How the lease was lost.
    private var loss: JournalError?

    /// The recently written tables, by name, as the last commit has left them.
    var cached: [String: CachedTable] = [:]
    /// The numbers of the documents that were used last, by their texts.
    var documents: [String: Int64] = [:]
    /// The tables that the present commit deletes, by name.
    var deletedInBatch: Set<String> = []
    var lastTable: Int64 = 0
    var lastDocument: Int64 = 0
    /// Whether there are deleted tables of which something is still to be freed.
    var hasDeleted = false
    /// The size of the journal in bytes, as of a moment ago.
    private var bytes = 0
    private var nextMeasure: UInt64 = 0
    private var nextLook: UInt64 = 0

    private struct Turn: Equatable {
      var epoch: Int64
      var number: Int64
    }

    private struct Pending {
      let turn: Turn
      let statements: [PostgresStatement]
      /// The number of writes that they are made of.
      let writes: Int
    }

    /// Opens the journal in the database that libpq's environment names, and makes its tables if there are none.
    ///
    /// - Parameters:
    ///   - owner: Who opens it, which decides whether it is taken over from a daemon that uses it.
    ///   - keepRevisions: As with ``SQLiteJournal``.
    ///   - limits: The limits of the journal and of each table's history. The latter do not apply if everything is kept.
    /// - Throws: ``JournalError`` of kind `unusable`; of kind `unreachable` if no server answers now; of kind `cancelled` if the
    ///   node was to stop waiting.
    public convenience init(
      for owner: JournalOwner, keepRevisions: UInt64? = nil, limits: SyncLimits.Journal = SyncLimits.Journal()
    ) throws(JournalError) {
      try self.init(PostgresDatabase(), for: owner, keepRevisions: keepRevisions, limits: limits)
    }

    init(
      _ database: PostgresDatabase, for owner: JournalOwner, keepRevisions: UInt64? = nil,
      limits: SyncLimits.Journal = SyncLimits.Journal()
    ) throws(JournalError) {
      (self.database, tables) = (database, PostgresTables(database))
      self.keepRevisions = keepRevisions
      self.limits = limits
      if case .node(let node) = owner { self.node = node } else { node = nil }
      let version: Int64?
      do throws(PostgresFailure) {
        let connection = try PostgresConnection(database)
        try PostgresSchema.make(connection)
        version = try PostgresSchema.version(connection)
        self.connection = connection
      } catch {
        let isAway = error.kind == .broken || PostgresConnection.isAway(database)
        throw isAway ? error.journalError : error.atOpening
      }
      try PostgresSchema.check(version)
      try take(for: owner)
      try loadState()
      try dropIncompleteTables()
    }

    deinit {
      tables.close()
      // Without it, tools and other nodes wait for the end of the lease.
      if hasLease { _ = try? connection?.run([release]) }
    }

    /// Sentences for the operator about what the server does not make durable.
    public func warnings() throws(JournalError) -> [String] {
      let rows = try run([
        PostgresStatement(
          "select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')")
      ])[0]
      return (0..<rows.count).filter { rows.text($0, 1) == "off" }.map {
        "PostgreSQL has \(rows.text($0, 0)) = off: a failure of its machine may lose what clients have received"
      }
    }

    // MARK: Writing

    public func commit(_ writes: [JournalWrite]) throws(JournalError) {
      guard !writes.isEmpty else { return }
      try connect()
      if let pending {
        guard pending.writes == writes.count else { throw unknown }
        return try send(pending.statements, of: pending.writes)
      }
      if let found {
        self.found = nil
        guard found == writes.count else { throw unknown }
        return
      }
      try checkRoom()
      do throws(JournalError) {
        var batch = PostgresBatch()
        trimCache()
        for write in writes { try self.write(write, into: &batch) }
        try send(batch.statements(keepRevisions: keepRevisions), of: writes.count)
      } catch {
        if error.kind != .unreachable || pending == nil { forget() }
        throw error
      }
    }

    /// The number of writes of a commit that was found after its answer was lost.
    private var found: Int?

    /// Sends a turn, and waits for its answer.
    private func send(_ statements: [PostgresStatement], of writes: Int) throws(JournalError) {
      if last.number >= Self.turnsPerEpochMax { try raise() }
      let turn = Turn(epoch: last.epoch, number: last.number + 1)
      // Without the lease there is no id, and the row is refused.
      let fence = PostgresStatement(
        """
        insert into baize_turn values (
          (select id from baize_lease where id = 1 and epoch = $1 and holder = $2 for share), $1, $3)
        """
      ).with(turn.epoch, holder, turn.number)
      guard let connection else { throw unconnected }
      do throws(PostgresFailure) {
        _ = try connection.run([fence] + statements)
        last = turn
        pending = nil
      } catch {
        self.connection = nil
        if error.kind == .rolledBack {
          pending = nil
          forget()
          if error.code == "23502" { throw lost() }
        } else {
          pending = Pending(turn: turn, statements: statements, writes: writes)
        }
        throw error.journalError
      }
    }

    public func probe() throws(JournalError) {
      try connect()
      try checkRoom()
    }

    /// Says whether another daemon has been noticed. It asks nobody: a commit before was durable.
    public func verify() throws(JournalError) { if let loss { throw loss } }

    /// Renews the lease, if that is due, which also finds out whether the server is there and the lease is one's own.
    func renew() throws(JournalError) {
      try verify()
      let now = MonotonicClock.now()
      guard now >= nextLook else { return }
      let sent = ElapsedClock.now()
      let renewed = try run([
        PostgresStatement(
          """
          update baize_lease set expires_at = clock_timestamp() + $3::bigint * interval '1 microsecond'
          where id = 1 and epoch = $1 and holder = $2 returning 1
          """
        ).with(last.epoch, holder, Self.leaseMicroseconds)
      ])[0]
      guard renewed.count == 1 else { throw lost() }
      node?.renewed(at: sent)
      nextLook = now + Self.lookNanoseconds
    }

    /// Gives the lease up, so that others need not wait for its end.
    private var release: PostgresStatement {
      PostgresStatement(
        "update baize_lease set expires_at = clock_timestamp(), holder = 0 where id = 1 and epoch = $1 and holder = $2"
      ).with(last.epoch, holder)
    }

    public func reload(_ limits: SyncLimits.Journal) {
      self.limits = limits
      nextMeasure = 0
    }

    private func checkRoom() throws(JournalError) {
      let now = MonotonicClock.now()
      if now >= nextMeasure {
        nextMeasure = now + Self.measureNanoseconds
        let row = try run([
          PostgresStatement(
            """
            select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint from unnest(
              array['baize_turn', 'baize_document', 'baize_table', 'baize_log', 'baize_snapshot', 'baize_part',
                'baize_revocation']) t(name)
            """)
        ])[0]
        bytes = Int(row.integer(0, 0))
      }
      guard bytes < limits.bytesMax else {
        throw JournalError(
          .storage, "\(PostgresFailure.name) has reached its limit of \(limits.bytesMax) bytes (--journal-bytes-max)")
      }
    }

    /// The interval between two renewals of the lease.
    private static let lookNanoseconds: UInt64 = 900_000_000
    /// The time after which a daemon that does not renew its lease is no obstacle for tools, in microseconds.
    private static let leaseMicroseconds = Int64(JournalNode.leaseNanoseconds / 1_000)
    /// The time for which a node that takes the lease waits for a transaction of its former holder, in milliseconds.
    private static let lockMilliseconds: Int64 = 1_000
    /// The interval between two measurements of the journal's size.
    private static let measureNanoseconds: UInt64 = 10_000_000_000
    /// The number of turns after which a new epoch lets the rows of earlier ones be deleted.
    private static let turnsPerEpochMax: Int64 = 16_384

    // MARK: Connection

    /// Connects again after a failure, and finds out what became of the last commit.
    private func connect() throws(JournalError) {
      try verify()
      guard connection == nil else { return }
      try reconnect()
      do throws(JournalError) {
        let former = pending?.turn
        try raise()
        if let former, try isStored(former) {
          found = pending?.writes
          pending = nil
        }
        if pending == nil, cached.isEmpty { try loadState() }
      } catch {
        connection = nil
        throw error
      }
    }

    /// Takes the lease, as a node once it may.
    private func take(for owner: JournalOwner) throws(JournalError) {
      let lease = try readLease()
      switch owner {
      case .tool:
        guard lease.holder == 0 || lease.hasEnded else {
          throw JournalError(
            .unusable, "a daemon uses \(PostgresFailure.name), or was killed a moment ago; stop it, or use --admin")
        }
        guard try raise(lease, settled: lease.epoch) else { throw takenByAnother }
      case .daemon: try take(lease)
      case .node(let node): try wait(as: node)
      }
    }

    private func readLease() throws(JournalError) -> PostgresLease {
      try PostgresLease(try run([PostgresLease.query])[0])
    }

    /// Takes the lease from the daemon that has it, which may renew it meanwhile, unless another one takes it now.
    private func take(_ lease: PostgresLease) throws(JournalError) {
      var present = lease
      while try !raise(present, settled: lease.epoch) {
        present = try readLease()
        guard present.epoch == lease.epoch else { throw takenByAnother }
      }
    }

    private var takenByAnother: JournalError {
      JournalError(.unusable, "another daemon takes over \(PostgresFailure.name) now; start this one again")
    }

    /// Waits until the lease may be taken, and takes it.
    private func wait(as node: JournalNode) throws(JournalError) {
      var watch = PostgresLeaseWatch(for: node.name)
      var said = ""
      func say(_ sentence: String) {
        if sentence != said { node.says(sentence) }
        said = sentence
      }
      while node.waits {
        do throws(JournalError) {
          try reconnect()
          let asked = ElapsedClock.now()
          let lease = try readLease()
          if watch.mayTake(lease, asked: asked, answered: ElapsedClock.now()) {
            // Somebody else may have been quicker, or the holder is back.
            if try takeFromGone(lease) { return node.says("node '\(node.name)' has \(PostgresFailure.name) now") }
          } else {
            let owner = lease.node.isEmpty ? "a daemon without a name" : "node '\(lease.node)'"
            say("\(owner) has \(PostgresFailure.name); this node, '\(node.name)', waits and listens nowhere")
          }
        } catch {
          guard error.kind == .unreachable || error.kind == .storage else { throw error }
          watch.forget()
          say("\(error); this node, '\(node.name)', waits")
        }
        usleep(UInt32(JournalNode.lookNanoseconds / 1_000))
      }
      throw JournalError(.cancelled, "the daemon was stopped while it waited for \(PostgresFailure.name)")
    }

    /// Takes the lease from a holder that is gone. A transaction that it has left open, as a process does that was suspended amid
    /// sending it, keeps the lease's row locked; after a while it is rolled back.
    ///
    /// - Returns: Whether the lease was taken.
    private func takeFromGone(_ lease: PostgresLease) throws(JournalError) -> Bool {
      do throws(JournalError) {
        return try raise(lease, settled: lease.epoch, lockMilliseconds: Self.lockMilliseconds)
      } catch {
        guard error.kind == .storage else { throw error }
        try reconnect()
        _ = try run([
          PostgresStatement(
            """
            select pg_terminate_backend(pid) from pg_locks
            where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
              and relation = 'baize_lease'::regclass and mode in ('RowShareLock', 'RowExclusiveLock')
              and pid <> pg_backend_pid()
            """)
        ])
        return false
      }
    }

    private func reconnect() throws(JournalError) {
      guard connection == nil else { return }
      do throws(PostgresFailure) {
        connection = try PostgresConnection(database)
      } catch {
        throw error.journalError
      }
    }

    /// Raises the epoch of the lease for this holder, unless the lease has changed since it was read.
    ///
    /// - Parameters:
    ///   - settled: The first epoch whose turns are still of interest.
    ///   - lockMilliseconds: How long another transaction is waited for; 0 for as long as it takes.
    /// - Returns: Whether it was raised.
    private func raise(
      _ lease: PostgresLease, settled: Int64, lockMilliseconds: Int64 = 0
    ) throws(JournalError) -> Bool {
      let sent = ElapsedClock.now()
      let raised = try run([
        PostgresStatement("select set_config('lock_timeout', $1::bigint::text, true)").with(lockMilliseconds),
        PostgresStatement(
          """
          with raised as (
            update baize_lease set epoch = epoch + 1, holder = $2, node = $3,
              expires_at = clock_timestamp() + $4::bigint * interval '1 microsecond'
            where id = 1 and epoch = $1 and holder = $5
              and coalesce((extract(epoch from expires_at) * 1000000)::bigint, 0) = $6
            returning epoch)
          insert into baize_turn select 1, epoch, 0 from raised returning epoch
          """
        ).with(lease.epoch, holder).with(node?.name ?? "").with(Self.leaseMicroseconds, lease.holder, lease.end),
        PostgresStatement("delete from baize_turn where epoch < $1").with(settled),
      ])[1]
      guard raised.count == 1 else { return false }
      last = Turn(epoch: raised.integer(0, 0), number: 0)
      hasLease = true
      node?.renewed(at: sent)
      return true
    }

    /// Raises the own epoch, after which no statement of an earlier one can become durable.
    private func raise() throws(JournalError) {
      var lease = try readLease()
      guard lease.holder == holder else { throw lost(to: lease) }
      guard try isStored(last) else {
        throw JournalError(
          .corrupt,
          "\(PostgresFailure.name) has lost commits that it had acknowledged: the server was restored, or a standby took over "
            + "that did not have them")
      }
      // An epoch that is only read may be that of a raise that was not answered: it is raised once more.
      while try !raise(lease, settled: min(pending?.turn.epoch ?? lease.epoch, last.epoch)) {
        // What the connection before had sent may have changed it.
        lease = try readLease()
        guard lease.holder == holder else { throw lost(to: lease) }
      }
    }

    /// Notes that the lease is another's.
    ///
    /// - Parameter lease: The lease, if it was read.
    private func lost(to lease: PostgresLease? = nil) -> JournalError {
      hasLease = false
      let lease = node == nil ? nil : lease ?? (try? reconnect()).flatMap { try? readLease() }
      let loss =
        if let node, lease?.node != node.name {
          JournalError(
            .leaseLost,
            lease.map { "node '\($0.node)' has taken over \(PostgresFailure.name)" }
              ?? "another node has taken over \(PostgresFailure.name)")
        } else {
          JournalError(.superseded, "another daemon has taken over \(PostgresFailure.name)")
        }
      self.loss = loss
      return loss
    }

    private func isStored(_ turn: Turn) throws(JournalError) -> Bool {
      try run([
        PostgresStatement("select 1 from baize_turn where lease = 1 and epoch = $1 and turn = $2")
          .with(turn.epoch, turn.number)
      ])[0].count == 1
    }

    /// Runs statements that may be repeated.
    func run(_ statements: [PostgresStatement]) throws(JournalError) -> [PostgresResult] {
      guard let connection else { throw unconnected }
      do throws(PostgresFailure) {
        return try connection.run(statements)
      } catch {
        self.connection = nil
        throw error.journalError
      }
    }

    /// Forgets what a failed commit would have changed.
    private func forget() {
      cached = [:]
      documents = [:]
      connection = nil
    }

    private var unknown: JournalError {
      JournalError(.corrupt, "\(PostgresFailure.name): it is not known whether the last commit is there")
    }

    private var unconnected: JournalError { JournalError(.unreachable, "\(PostgresFailure.name) is not connected") }

    // MARK: Reading

    var rows: PostgresRows {
      get throws(JournalError) {
        guard let connection else { throw unconnected }
        return PostgresRows(connection: connection)
      }
    }

    public func tableCount() throws(JournalError) -> Int {
      Int(try run([PostgresStatement("select count(*) from baize_table")])[0].integer(0, 0))
    }

    public func table(named name: String) throws(JournalError) -> StoredTable? {
      try tables.table(named: name, bytesMax: .max)
    }

    public func reading(tableNamed name: String) throws(JournalError) -> TableReading {
      TableReading(
        bytes: { [tables] () throws(JournalError) in try tables.bytes(ofTable: name) },
        read: { [tables] (bytesMax) throws(JournalError) in try tables.table(named: name, bytesMax: bytesMax) })
    }

    public func search() -> TableSearch {
      { [tables] (name) throws(JournalError) in try tables.contains(tableNamed: name) }
    }

    public func accessKey(orNew new: AccessKey) throws(JournalError) -> AccessKey {
      if let stored = try rows.accessKey() { return stored }
      let (high, low) = (Int64(bitPattern: new.high), Int64(bitPattern: new.low))
      let unsealed: Int64 = new.acceptsUnsealed ? 1 : 0
      _ = try run([
        PostgresStatement("insert into baize_access values (1, $1, $2, $3, $4)")
          .with(high, low, unsealed, Checksum.of([], high, low, unsealed))
      ])
      return new
    }

    public func revocations() throws(JournalError) -> [UInt8]? { try rows.revocations() }

    /// Makes what is cached that of the database.
    private func loadState() throws(JournalError) {
      cached = [:]
      documents = [:]
      let row = try run([
        PostgresStatement(
          """
          select greatest((select max(no) from baize_table), (select max(table_no) from baize_deleted), 0),
            (select coalesce(max(id), 0) from baize_document), (select count(*) from baize_deleted)
          """)
      ])[0]
      (lastTable, lastDocument, hasDeleted) = (row.integer(0, 0), row.integer(0, 1), row.integer(0, 2) > 0)
    }

    /// Deletes what there is of tables whose creation was interrupted. They do not exist in any case.
    private func dropIncompleteTables() throws(JournalError) {
      let names = try run([
        PostgresStatement(
          """
          select name from baize_table t where not exists (select from baize_snapshot s where s.table_no = t.no)
          """)
      ])[0]
      try commit((0..<names.count).map { .deletion(names.text($0, 0)) })
    }
  }
#endif
