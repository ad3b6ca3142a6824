import BaizeSync
import BaizeSystem
import BaizeTransport
import Synchronization

/// A client's open entry of a session store. The client loop's thread writes it.
final class StoredSession: Sendable {
  private let entry: any SessionStoreEntry
  private let key: SessionKey
  private let closed = Atomic(false)

  /// Opens the entry and reads it. Blocks.
  static func open(
    _ store: any SessionStore, _ key: SessionKey
  ) throws(SessionStoreError) -> (StoredSession, ClientRecord) {
    do {
      let entry = try store.open(key)
      let stored = StoredSession(entry, key)
      guard let bytes = try entry.read() else { return (stored, ClientRecord()) }
      return (stored, try ClientRecord(decoding: bytes, key: key.description))
    } catch let error as SessionStoreError {
      throw error
    } catch let error as ClientRecordError {
      throw SessionStoreError(error, store.name(of: key))
    } catch {
      throw .unusable(key.description, reason: "\(error)")
    }
  }

  private init(_ entry: any SessionStoreEntry, _ key: SessionKey) {
    self.entry = entry
    self.key = key
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Writes the entry, and resolves the promises of the callers that wait for it.
  ///
  /// - Returns: The reason if it could not be written.
  func write(_ record: ClientRecord, _ saved: [Promise<Result<Void, SessionStoreError>>]) -> String? {
    var result = Result<Void, SessionStoreError>.success(())
    do {
      try entry.write(record.encoded(key: key.description))
    } catch let error as SessionStoreError {
      result = .failure(error)
    } catch {
      result = .failure(.unusable(key.description, reason: "\(error)"))
    }
    for promise in saved { promise.resolve(result) }
    if case .failure(let error) = result { return error.description }
    return nil
  }

  func close() {
    if !closed.exchange(true, ordering: .acquiringAndReleasing) { entry.close() }
  }

  deinit { close() }
}

extension SessionStore {
  /// Returns the entry's name for people: a file's path.
  fileprivate func name(of key: SessionKey) -> String {
    (self as? FileSessionStore)?.path(of: key) ?? key.description
  }
}
