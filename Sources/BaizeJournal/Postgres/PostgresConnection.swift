#if PostgreSQL
  internal import BaizeSync
  internal import BaizeSystem
  internal import CPostgres

  /// A connection to a PostgreSQL server, in pipeline mode. Only this type, ``PostgresFailure`` and ``PostgresResult`` call libpq.
  ///
  /// Where the server is, and who connects, say libpq's own environment, service file and password file.
  ///
  /// One thread uses it at a time. After an error it is not used again: a new one is opened in its place.
  final class PostgresConnection {
    private let connection: OpaquePointer
    /// The names of the statements that this connection has prepared, by the addresses of their texts.
    private var prepared: [UnsafePointer<UInt8>: String] = [:]
    private let notices = Notices()

    /// What the server has said besides its answers.
    private final class Notices {
      /// Whether a commit may not have reached a standby although the server reports success.
      var hasWarned = false
    }

    /// Connects, and sets the session up.
    ///
    /// - Throws: ``PostgresFailure`` that says in words why there is no connection.
    init(_ database: PostgresDatabase) throws(PostgresFailure) {
      let (keywords, values) = Self.parameters(of: database)
      guard let connection = PQconnectdbParams(keywords.pointers, values.pointers, 0) else {
        throw PostgresFailure(.connection, "there is no memory")
      }
      self.connection = connection
      guard PQstatus(connection) == CONNECTION_OK else {
        throw PostgresFailure(.connection, Self.message(connection))
      }
      PQsetNoticeReceiver(
        connection,
        { context, result in
          guard let context, let code = PQresultErrorField(result, PostgresFailure.codeField) else { return }
          // A commit whose wait for a standby was cancelled.
          if String(cString: code) == "01000" {
            Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasWarned = true
          }
        }, Unmanaged.passUnretained(notices).toOpaque())
      guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
        throw PostgresFailure(.connection, Self.message(connection))
      }
      try setUp()
    }

    deinit { PQfinish(connection) }

    /// Returns whether no server answers, or one that is starting or stopping: what may pass by itself, unlike a refusal.
    static func isAway(_ database: PostgresDatabase) -> Bool {
      let (keywords, values) = parameters(of: database)
      let answer = PQpingParams(keywords.pointers, values.pointers, 0)
      return answer == PQPING_REJECT || answer == PQPING_NO_RESPONSE
    }

    private static func parameters(of database: PostgresDatabase) -> (keywords: CStrings, values: CStrings) {
      let all = parameters + database.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      return (CStrings(all.map(\.0)), CStrings(all.map(\.1)))
    }

    /// What the environment and the service file leave open.
    private static var parameters: [(String, String)] {
      var set: Set<String> = []
      var hasSeveralHosts = false
      if let options = PQconndefaults() {
        var option = options
        while let keyword = option.pointee.keyword {
          if let value = option.pointee.val.map({ String(cString: $0) }), !value.isEmpty {
            let name = String(cString: keyword)
            set.insert(name)
            if name == "host" { hasSeveralHosts = value.contains(",") }
          }
          option += 1
        }
        PQconninfoFree(options)
      }
      let standard = [
        ("connect_timeout", "10"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "3"), ("application_name", "baized"),
      ]
      // libpq's own default of these is not empty.
      let own = [("client_encoding", "UTF8")] + (hasSeveralHosts ? [("target_session_attrs", "read-write")] : [])
      return standard.filter { !set.contains($0.0) } + own
    }

    private func setUp() throws(PostgresFailure) {
      let state = try run([
        PostgresStatement("set default_transaction_isolation = 'read committed'"),
        // A client whose machine is gone may leave a transaction open. A socket without TCP ignores this.
        PostgresStatement("set tcp_keepalives_idle = 3"),
        PostgresStatement("set tcp_keepalives_interval = 1"),
        PostgresStatement("set tcp_keepalives_count = 3"),
        PostgresStatement(
          """
          select pg_is_in_recovery()::int, (current_setting('server_encoding') = 'UTF8')::int,
            (current_setting('transaction_read_only') = 'on')::int
          """),
      ])[4]
      guard state.integer(0, 0) == 0 else {
        throw PostgresFailure(
          .connection, "the server is a standby, which cannot be written; name the primary (PGHOST), or several hosts")
      }
      guard state.integer(0, 2) == 0 else {
        throw PostgresFailure(
          .connection, "the server only lets this role read the database (default_transaction_read_only)")
      }
      guard state.integer(0, 1) == 1 else {
        throw PostgresFailure(.connection, "the database's encoding is not UTF8; name another database (PGDATABASE)")
      }
    }

    // MARK: Statements

    /// Runs statements as one transaction: all of them or none.
    ///
    /// - Returns: The rows of each.
    /// - Throws: ``PostgresFailure``, which says whether the transaction was rolled back or may have been committed.
    func run(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      notices.hasWarned = false
      // Whether each result belongs to the preparation of a statement.
      var isPreparation: [Bool] = []
      for statement in statements {
        let key = statement.text.utf8Start
        let name = prepared[key] ?? "s\(prepared.count)"
        if prepared.updateValue(name, forKey: key) == nil {
          guard PQsendPrepare(connection, name, "\(statement.text)", 0, nil) == 1 else { throw broken }
          isPreparation.append(true)
        }
        guard send(statement, name) else { throw broken }
        isPreparation.append(false)
      }
      guard PQpipelineSync(connection) == 1 else { throw broken }
      var results: [PostgresResult] = []
      results.reserveCapacity(statements.count)
      var failure: PostgresFailure?
      for isPreparation in isPreparation {
        // Each statement's results end with an empty one.
        while let result = try nextResult() {
          switch PQresultStatus(result) {
          case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            let rows = PostgresResult(result)
            if !isPreparation { results.append(rows) }
          case PGRES_PIPELINE_ABORTED: PQclear(result)
          case _:
            failure = failure ?? PostgresFailure(result)
            PQclear(result)
            // No more comes behind the end of the server's process.
            if let failure, failure.kind == .broken { throw failure }
          }
        }
      }
      guard let end = try nextResult() else { throw broken }
      let status = PQresultStatus(end)
      if failure == nil, status != PGRES_PIPELINE_SYNC { failure = PostgresFailure(end) }
      PQclear(end)
      if let failure { throw failure }
      guard !notices.hasWarned else {
        throw PostgresFailure(.broken, "the server did not wait for its standby, so that a commit may not be there")
      }
      return results
    }

    /// Sends a statement that is prepared.
    private func send(_ statement: PostgresStatement, _ name: String) -> Bool {
      let parameters = statement.parameters
      let lengths = parameters.map { Int32($0.count) }
      let formats = [Int32](repeating: 1, count: parameters.count)
      return withPointers(to: parameters[...]) { values in
        PQsendQueryPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1) == 1
      }
    }

    private func withPointers(
      to parameters: ArraySlice<[UInt8]>, after pointers: [UnsafePointer<CChar>?] = [],
      _ body: ([UnsafePointer<CChar>?]) -> Bool
    ) -> Bool {
      guard let first = parameters.first else { return body(pointers) }
      return first.withUnsafeBytes { bytes in
        let start = bytes.bindMemory(to: CChar.self).baseAddress
        return Self.empty.withUnsafeBufferPointer { empty in
          // A parameter without an address would be null.
          withPointers(to: parameters.dropFirst(), after: pointers + [start ?? empty.baseAddress], body)
        }
      }
    }

    private static let empty: [CChar] = [0]

    /// Returns the next result; `nil` at the end of a statement's.
    private func nextResult() throws(PostgresFailure) -> OpaquePointer? {
      while true {
        let unsent = PQflush(connection)
        guard unsent >= 0 else { throw broken }
        if PQisBusy(connection) == 0 { return PQgetResult(connection) }
        var wait = pollfd(
          fd: PQsocket(connection), events: Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0), revents: 0)
        // A server that has gone without a word is noticed by the system (`tcp_user_timeout`, keepalives).
        guard poll(&wait, 1, -1) >= 0 || errno == EINTR else { throw broken }
        guard PQconsumeInput(connection) == 1 else { throw broken }
      }
    }

    // MARK: Errors

    private var broken: PostgresFailure { PostgresFailure(.broken, Self.message(connection)) }

    private static func message(_ connection: OpaquePointer) -> String {
      PostgresFailure.line(String(cString: PQerrorMessage(connection)))
    }
  }

  /// An array of C strings, ended by null.
  private final class CStrings {
    private(set) var pointers: [UnsafePointer<CChar>?] = []

    init(_ texts: [String]) {
      for text in texts { pointers.append(strdup(text).map { UnsafePointer($0) }) }
      pointers.append(nil)
    }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
  }
#endif
