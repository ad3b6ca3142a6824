#if PostgreSQL
  /// The database of a journal: that of libpq's environment, unless parameters of a connection name another one.
  struct PostgresDatabase: Hashable, Sendable {
    /// The parameters by libpq's names, which count more than the environment.
    var parameters: [String: String] = [:]
  }
#endif
