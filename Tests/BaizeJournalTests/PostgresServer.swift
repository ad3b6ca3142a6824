#if PostgreSQL
  import BaizeLaboratory

  @testable import BaizeJournal

  /// The databases of a PostgreSQL server that tests use.
  enum PostgresServer {
    static var isInstalled: Bool {
      guard PostgresCluster.programs == nil else { return true }
      print("PostgreSQL is not installed (Debian: postgresql-15), so that journals in it are not tested")
      return false
    }

    /// An empty database.
    struct Database: Sendable {
      var name = ""
      var database = PostgresDatabase()
    }
  }

  extension PostgresCluster {
    func makeDatabase() throws -> PostgresServer.Database {
      let name: String = try makeDatabase()
      return PostgresServer.Database(name: name, database: PostgresDatabase(parameters: parameters(name)))
    }
  }
#endif
