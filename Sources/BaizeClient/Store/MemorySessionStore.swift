import Synchronization

/// A ``SessionStore`` that lasts as long as the process: for tests, and for apps that create clients anew.
public final class MemorySessionStore: SessionStore {
  private struct Contents {
    var bytes: [UInt8]?
    var isOpen = false
  }

  private let entries = Mutex<[SessionKey: Contents]>([:])

  /// Creates an empty store.
  public init() {}

  public func open(_ key: SessionKey) throws -> any SessionStoreEntry {
    let isFree = entries.withLock { entries -> Bool in
      guard entries[key]?.isOpen != true else { return false }
      entries[key, default: Contents()].isOpen = true
      return true
    }
    guard isFree else { throw SessionStoreError.inUse(key.description) }
    return Entry(self, key)
  }

  private final class Entry: SessionStoreEntry {
    private let store: MemorySessionStore
    private let key: SessionKey
    private let isClosed = Mutex(false)

    init(_ store: MemorySessionStore, _ key: SessionKey) {
      self.store = store
      self.key = key
    }

    func read() throws -> [UInt8]? { store.entries.withLock { $0[key]?.bytes } }

    func write(_ bytes: [UInt8]) throws { store.entries.withLock { $0[key]?.bytes = bytes } }

    func close() {
      isClosed.withLock { isClosed in
        if !isClosed { store.entries.withLock { $0[key]?.isOpen = false } }
        isClosed = true
      }
    }

    deinit { close() }
  }
}
