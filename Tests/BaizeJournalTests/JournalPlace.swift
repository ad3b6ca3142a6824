import BaizeLaboratory
import BaizeSync
import BaizeTable
import Synchronization
import Testing

@testable import BaizeJournal

/// The engines of a journal, all of which keep the contract.
enum JournalEngine: String, CaseIterable, CustomTestStringConvertible {
  /// Those that this machine can run.
  static var allCases: [JournalEngine] {
    #if PostgreSQL
      return PostgresServer.isInstalled ? [.memory, .sqlite, .postgres] : [.memory, .sqlite]
    #else
      return [.memory, .sqlite]
    #endif
  }

  case memory
  case sqlite
  #if PostgreSQL
    case postgres
  #endif

  var testDescription: String { rawValue }
  /// Whether tables that nobody uses expire.
  var hasExpiry: Bool { self == .sqlite }
}

/// Where the journal of an engine is, from one opening to the next, and the disk and clock that a test controls.
final class JournalPlace {
  let engine: JournalEngine
  let clock = RunningClock()
  private let file: File
  private let script = JournalScript()
  #if PostgreSQL
    /// An empty database.
    private let postgres: PostgresServer.Database
  #endif

  /// A file that is there for as long as a journal may open it.
  private final class File: Sendable {
    let path: String
    private let folder: Mutex<TemporaryFolder>

    init() throws {
      let folder = try TemporaryFolder()
      path = folder.path("journal")
      self.folder = Mutex(folder)
    }
  }

  init(_ engine: JournalEngine) throws {
    self.engine = engine
    file = try File()
    #if PostgreSQL
      postgres = try engine == .postgres ? PostgresCluster.shared.get().makeDatabase() : PostgresServer.Database()
    #endif
  }

  func open(
    shards: Int = 1, _ durability: Durability = .strict, expiry: ExpiryRule? = nil
  ) async throws -> JournalUser {
    try await JournalUser(
      JournalThread(durability, retryNanoseconds: 10_000_000, opening: openStore(expiry)), shards: shards)
  }

  private func openStore(_ expiry: ExpiryRule?) -> @Sendable () throws -> any JournalStore {
    switch engine {
    #if PostgreSQL
      case .postgres: { [postgres] in try PostgresJournal(postgres.database, for: .daemon) }
    #endif
    case .memory: { [script] in script.open() }
    case .sqlite:
      { [file, clock] in
        try SQLiteJournal(path: file.path, expiry: expiry) { clock.seconds.load(ordering: .relaxed) }
      }
    }
  }

  /// Counts as many hours in which a daemon runs and nobody uses anything.
  func run(hours: Int) throws {
    let journal = try SQLiteJournal(path: file.path, expiry: ExpiryRule(days: 36_500)) { [clock] in
      clock.seconds.load(ordering: .relaxed)
    }
    for _ in 0..<hours {
      clock.advance()
      #expect(try journal.expire().names.isEmpty)
    }
  }

  /// Has all commits fail from now on, or no more, as with a full disk.
  func setFailing(_ isFailing: Bool, _ user: JournalUser) {
    switch engine {
    case .memory: script.fail(isFailing ? JournalError(.storage, "there is no room") : nil)
    case _:
      var limits = SyncLimits.Journal()
      if isFailing { limits.bytesMax = 1 }
      user.journal.reload(limits)
    }
  }
}

/// The clock of a machine that runs.
final class RunningClock: Sendable {
  let seconds = Atomic<Int64>(1_000)

  func advance(hours: Int64 = 1) { seconds.add(hours * 3_600, ordering: .relaxed) }
}
