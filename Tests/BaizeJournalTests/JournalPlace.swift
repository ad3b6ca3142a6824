import BaizeLaboratory
import BaizeSync
import BaizeTable
import Synchronization
import Testing

@testable import BaizeJournal

/// The engines of a journal, all of which keep the contract.
enum JournalEngine: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
  /// Whether tables that nobody uses expire.
  var hasExpiry: Bool { self == .sqlite }
}

/// Where the journal of an engine is, from one opening to the next, and the disk and calendar that a test controls.
final class JournalPlace {
  let engine: JournalEngine
  let calendar = Calendar()
  private let file: File
  private let script = JournalScript()

  /// The date, in days since 1970.
  final class Calendar: Sendable {
    let date = Atomic<Int64>(20_000)

    func advance(by days: Int64 = 1) { date.add(days, ordering: .relaxed) }
  }

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
  }

  func open(
    shards: Int = 1, _ durability: Durability = .strict, expireDays: Int? = nil
  ) async throws -> JournalUser {
    try await JournalUser(
      JournalThread(durability, retryNanoseconds: 10_000_000, opening: openStore(expireDays)), shards: shards)
  }

  private func openStore(_ expireDays: Int?) -> @Sendable () throws -> any JournalStore {
    switch engine {
    case .memory: { [script] in script.open() }
    case .sqlite:
      { [file, calendar] in
        try SQLiteJournal(path: file.path, expireDays: expireDays) { calendar.date.load(ordering: .relaxed) }
      }
    }
  }

  /// Has all commits fail from now on, or no more, as with a full disk.
  func setFailing(_ isFailing: Bool, _ user: JournalUser) {
    switch engine {
    case .memory: script.fail(isFailing ? JournalError(.storage, "there is no room") : nil)
    case .sqlite:
      var limits = SyncLimits.Journal()
      if isFailing { limits.bytesMax = 1 }
      user.journal.reload(limits)
    }
  }
}
