import BaizeSync
import BaizeTable
import BaizeTokens
import BaizeTransport
import Synchronization

/// Where what is revoked is kept.
enum RevocationPlace: Sendable {
  /// Nowhere: nothing can be revoked.
  case nowhere
  /// In a file, which others may write, too.
  case file(RevocationFile)
  /// In the journal, which is not open yet.
  case closedJournal
  /// In the journal: the function has it keep a document, and receives an answer when that is durable, or not.
  case journal(keep: @Sendable (_ document: [UInt8], _ answer: @escaping @Sendable (OperatorAnswer) -> Void) -> Void)
}

/// What an operator revokes, which is kept in the journal or in a file: it holds before anyone is answered, and after the next start.
extension TokenService {
  /// Revokes a person's tokens, or one token, for a time that is at least that of every token that exists.
  func revoke(
    _ revocation: Revocation, seconds: Int64, answer: @escaping @Sendable (Result<Bool, RevocationError>) -> Void
  ) {
    let end = clock() + min(max(1, seconds), ServerLimits.revocationSecondsMax)
    change(
      RevocationChange(
        apply: { (list) throws(RevocationError) in
          try list.insert(revocation, until: end)
          return true
        }, answer: answer))
  }

  /// Accepts tokens again that were revoked.
  ///
  /// - Parameter answer: Receives whether they were.
  func restore(_ revocation: Revocation, answer: @escaping @Sendable (Result<Bool, RevocationError>) -> Void) {
    change(RevocationChange(apply: { $0.remove(revocation) }, answer: answer))
  }

  private func change(_ change: RevocationChange) {
    switch place {
    case .nowhere:
      change.answer(
        .failure(RevocationError("the daemon has neither a journal nor a file to keep it in (--token-revocations)")))
    case .closedJournal: change.answer(.failure(.withoutJournal))
    case .file(let file):
      do throws(RevocationError) {
        change.answer(.success(try self.change(change.apply, in: file)))
      } catch {
        change.answer(.failure(error))
      }
    case .journal:
      guard changes.withLock({ $0.append(change) }) else { return change.answer(.failure(.tooMany)) }
      wake()
    }
  }

  // MARK: The file

  /// Reads the file of revocations again, or for the first time; `nil` without one.
  func readRevocations() throws(RevocationError) -> RevocationList? {
    guard case .file(let file) = place else { return nil }
    return try file.read(at: clock())
  }

  /// The file is read again before, so that what others have written there stays.
  private func change(_ change: RevocationChange.Body, in file: RevocationFile) throws(RevocationError) -> Bool {
    try changing.withLock { (_) throws(RevocationError) in
      var list = try file.read(at: clock())
      let hasChanged = try change(&list)
      if hasChanged { try file.write(list) }
      use(list)
      return hasChanged
    }
  }

  // MARK: The journal

  /// Takes over what the journal keeps, unless a file is used.
  ///
  /// - Parameters:
  ///   - document: The journal's document; `nil` if it has none.
  ///   - keep: Has it keep another one.
  /// - Throws: ``RevocationError`` in words if it cannot be used.
  func openRevocations(
    _ document: [UInt8]?,
    keep: @escaping @Sendable (_ document: [UInt8], _ answer: @escaping @Sendable (OperatorAnswer) -> Void) -> Void
  ) throws(RevocationError) {
    var list = RevocationList()
    do throws(RevocationError) {
      if let document { list = try RevocationList(parsing: document, at: clock()) }
    } catch {
      throw RevocationError("the revocations in the journal cannot be used: \(error)")
    }
    guard case .closedJournal = place else {
      if list.count > 0 {
        log(
          .warning,
          "the journal has \(list.count) revocations of tokens, which do not hold: those of --token-revocations do")
      }
      return
    }
    place = .journal(keep: keep)
    use(list)
  }

  /// Takes a step with the changes that the journal is to keep. Only the service's own thread calls it.
  func changeRevocations() {
    if let (kept, answer) = changes.withLock({ $0.takeAnswered() }) {
      switch answer {
      case .done:
        use(kept.list)
        end(kept.change, .success(true))
      case .tables, .accounts, .state, .invite, .unchanged, .refused: end(kept.change, .failure(.withoutStorage))
      }
    }
    while let change = changes.withLock({ $0.begin() }) { begin(change) }
  }

  private func begin(_ change: RevocationChange) {
    guard case .journal(let keep) = place else { return end(change, .failure(.withoutJournal)) }
    do throws(RevocationError) {
      var list = revocations
      list.removeEnded(at: clock())
      guard try change.apply(&list) else { return end(change, .success(false)) }
      let kept = RevocationChanges.Kept(change: change, list: list)
      keep(try list.document()) { [self] answer in
        changes.withLock { $0.answered(answer, kept) }
        wake()
      }
    } catch {
      end(change, .failure(error))
    }
  }

  private func end(_ change: RevocationChange, _ result: Result<Bool, RevocationError>) {
    changes.withLock { $0.end() }
    change.answer(result)
  }
}

extension RevocationError {
  fileprivate static let withoutJournal = RevocationError(
    "this node waits for the journal; ask the one that has it", mayPass: true)
  fileprivate static let withoutStorage = RevocationError(
    "the journal cannot be written now, so that it is not kept; try again", mayPass: true)
  fileprivate static let tooMany = RevocationError("too many changes wait for the journal; try again", mayPass: true)
  /// The journal may keep it later, or not.
  static let unanswered = RevocationError(
    "the journal has not answered in time, so that it may be kept or not; try again", mayPass: true)
}
