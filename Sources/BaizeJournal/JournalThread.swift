public import BaizeSync
public import BaizeTable
internal import BaizeTransport
internal import Synchronization

/// The journal over a store that commits synchronously, such as that of SQLite, on a thread of its own.
///
/// This is the part that other threads share; ``JournalWriter`` is what runs on the thread.
public final class JournalThread: Journal {
  private let durability: Durability
  private let retryNanoseconds: UInt64
  private let openStore: @Sendable () throws -> any JournalStore
  private let waker: Waker
  private let mailbox: Mailbox<JournalWriter.Message>
  private let thread = Mutex<LoopThread?>(nil)
  private let search = Mutex<TableSearch>({ _ in false })
  /// Resolved when the store is closed and the thread is about to end.
  private let hasEnded = Promise<Void>()

  /// - Parameters:
  ///   - durability: Whether the turns of a failed commit are void or kept.
  ///   - retryNanoseconds: The interval between two attempts to write to a disk that has failed.
  ///   - openStore: Opens the store, on the journal's thread.
  /// - Throws: `SystemError` if the system has no descriptor left.
  public init(
    _ durability: Durability, retryNanoseconds: UInt64,
    opening openStore: @escaping @Sendable () throws -> any JournalStore
  ) throws {
    (self.durability, self.retryNanoseconds, self.openStore) = (durability, retryNanoseconds, openStore)
    waker = try Waker()
    mailbox = Mailbox(waker: waker)
  }

  public func open(
    for shards: Int, newKey: AccessKey, answer: @escaping @Sendable (Int, JournalAnswer) -> Void,
    report: @escaping @Sendable (JournalEvent) -> Void
  ) async throws -> OpenedJournal {
    let opened = Promise<Result<OpenedJournal, any Error>>()
    let started = try LoopThread(name: "journal") { [self] in
      do {
        let store = try openStore()
        let search = store.search()
        self.search.withLock { $0 = search }
        let writer = JournalWriter(
          store, durability, retryNanoseconds: retryNanoseconds, for: shards, mailbox, waker, answer: answer,
          report: report)
        let key = try store.accessKey(orNew: newKey)
        opened.resolve(
          .success(
            OpenedJournal(tables: try store.tableCount(), accessKey: key, revocations: try store.revocations())))
        writer.serve()
      } catch {
        opened.resolve(.failure(error))
      }
      hasEnded.resolve(())
    }
    thread.withLock { $0 = started }
    return try await opened.valueDespiteCancellation().get()
  }

  public func send(_ turn: JournalTurn) { mailbox.send(.turn(turn)) }

  public func leave() { mailbox.send(.left) }

  public func reload(_ limits: SyncLimits.Journal) { mailbox.send(.reload(limits)) }

  public func contains(tableNamed name: String) throws(JournalError) -> Bool { try search.withLock { $0 }(name) }

  public func ended() async {
    guard let thread = thread.withLock({ $0 }) else { return }
    await hasEnded.valueDespiteCancellation()
    thread.join()
  }
}
