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
    ///   - takesOver: Whether it is taken over from a daemon that uses it.
    ///   - keepRevisions: As with ``SQLiteJournal``.
    ///   - limits: The limits of the journal and of each table's history. The latter do not apply if everything is kept.
    /// - Throws: ``JournalError`` of kind `unusable`; of kind `unreachable` if no server answers now.
    public convenience init(
      takingOver takesOver: Bool, keepRevisions: UInt64? = nil, limits: SyncLimits.Journal = SyncLimits.Journal()
    ) throws(JournalError) {
      try self.init(PostgresDatabase(), takingOver: takesOver, keepRevisions: keepRevisions, limits: limits)
    }

    init(
      _ database: PostgresDatabase, takingOver takesOver: Bool, keepRevisions: UInt64? = nil,
      limits: SyncLimits.Journal = SyncLimits.Journal()
    ) throws(JournalError) {
      (self.database, tables) = (database, PostgresTables(database))
      self.keepRevisions = keepRevisions
      self.limits = limits
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
      try take(fromRunning: takesOver)
      try loadState()
      try dropIncompleteTables()
    }

    deinit {
      tables.close()
      // Without it, tools wait for the end of the lease.
      if hasLease { _ = try? connection?.run([renewal(seconds: 0)]) }
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
          if error.code == "23502" {
            hasLease = false
            throw superseded
          }
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
    public func verify() throws(JournalError) { guard hasLease else { throw superseded } }

    /// Renews the lease, if that is due, which also finds out whether the server is there and the lease is one's own.
    func renew() throws(JournalError) {
      guard hasLease else { throw superseded }
      let now = MonotonicClock.now()
      guard now >= nextLook else { return }
      guard try run([renewal(seconds: Self.leaseSeconds)])[0].count == 1 else {
        hasLease = false
        throw superseded
      }
      nextLook = now + Self.lookNanoseconds
    }

    /// Says that this daemon uses the journal, for tools: what is written depends on the holder and the epoch alone.
    private func renewal(seconds: Int64) -> PostgresStatement {
      PostgresStatement(
        """
        update baize_lease set expires_at = now() + $3::bigint * interval '1 second'
        where id = 1 and epoch = $1 and holder = $2 returning 1
        """
      ).with(last.epoch, holder, seconds)
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
              array['baize_turn', 'baize_document', 'baize_table', 'baize_log', 'baize_snapshot', 'baize_part']) t(name)
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
    /// The time after which a daemon that does not renew its lease is no obstacle for tools.
    private static let leaseSeconds: Int64 = 3
    /// The interval between two measurements of the journal's size.
    private static let measureNanoseconds: UInt64 = 10_000_000_000
    /// The number of turns after which a new epoch lets the rows of earlier ones be deleted.
    private static let turnsPerEpochMax: Int64 = 16_384

    // MARK: Connection

    /// Connects again after a failure, and finds out what became of the last commit.
    private func connect() throws(JournalError) {
      guard hasLease else { throw superseded }
      guard connection == nil else { return }
      do throws(PostgresFailure) {
        connection = try PostgresConnection(database)
      } catch {
        throw error.journalError
      }
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

    /// Takes the lease.
    private func take(fromRunning takesOver: Bool) throws(JournalError) {
      let row = try run([
        PostgresStatement("select epoch, coalesce(expires_at > now(), false)::int from baize_lease where id = 1")
      ])[0]
      guard row.count == 1 else { throw JournalError(.corrupt, "\(PostgresFailure.name) has no lease") }
      guard takesOver || row.integer(0, 1) == 0 else {
        throw JournalError(
          .unusable, "a daemon uses \(PostgresFailure.name), or was killed a moment ago; stop it, or use --admin")
      }
      let epoch = row.integer(0, 0)
      let raised = try run([
        PostgresStatement(
          """
          with raised as (
            update baize_lease set epoch = epoch + 1, holder = $2 where id = 1 and epoch = $1 returning epoch)
          insert into baize_turn select 1, epoch, 0 from raised returning epoch
          """
        ).with(epoch, holder),
        PostgresStatement("delete from baize_turn where epoch < $1").with(epoch),
      ])[0]
      guard raised.count == 1 else {
        throw JournalError(.unusable, "another daemon takes over \(PostgresFailure.name) now; start this one again")
      }
      last = Turn(epoch: raised.integer(0, 0), number: 0)
      hasLease = true
    }

    /// Raises the own epoch, after which no statement of an earlier one can become durable.
    private func raise() throws(JournalError) {
      let row = try run([PostgresStatement("select epoch, holder from baize_lease where id = 1")])[0]
      guard row.count == 1, row.integer(0, 1) == holder else {
        hasLease = false
        throw superseded
      }
      guard try isStored(last) else {
        throw JournalError(
          .corrupt,
          "\(PostgresFailure.name) has lost commits that it had acknowledged: the server was restored, or a standby took over "
            + "that did not have them")
      }
      // An epoch that is only read may be that of a raise that was not answered: it is raised once more.
      let epoch = row.integer(0, 0)
      let settled = min(pending?.turn.epoch ?? epoch, last.epoch)
      let raised = try run([
        PostgresStatement(
          """
          with raised as (
            update baize_lease set epoch = epoch + 1 where id = 1 and epoch = $1 and holder = $2 returning epoch)
          insert into baize_turn select 1, epoch, 0 from raised returning epoch
          """
        ).with(epoch, holder),
        PostgresStatement("delete from baize_turn where epoch < $1").with(settled),
      ])[0]
      guard raised.count == 1 else {
        hasLease = false
        throw superseded
      }
      last = Turn(epoch: raised.integer(0, 0), number: 0)
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

    private var superseded: JournalError {
      JournalError(.superseded, "another daemon has taken over \(PostgresFailure.name)")
    }

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
