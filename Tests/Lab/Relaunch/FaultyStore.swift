import BaizeClient
import Dispatch
import Synchronization

/// A mistake that `baize-lab relaunch` must find.
enum StoreFault: String, CaseIterable, Sendable {
  /// The store says that it has written before it has: operations are sent before they are kept.
  case early
  /// The store keeps the last write but one.
  case forget
}

/// A session store with a mistake.
struct FaultyStore: SessionStore {
  let store: FileSessionStore
  let fault: StoreFault

  func open(_ key: SessionKey) throws -> any SessionStoreEntry { Entry(try store.open(key), fault) }

  private final class Entry: SessionStoreEntry {
    private let entry: any SessionStoreEntry
    private let fault: StoreFault
    private let queue = DispatchQueue(label: "faulty store")
    private let previous = Mutex<[UInt8]?>(nil)

    init(_ entry: any SessionStoreEntry, _ fault: StoreFault) { (self.entry, self.fault) = (entry, fault) }

    func read() throws -> [UInt8]? { try entry.read() }

    func write(_ bytes: [UInt8]) throws {
      switch fault {
      case .early:
        queue.asyncAfter(deadline: .now() + .milliseconds(30)) { [entry] in try? entry.write(bytes) }
      case .forget: if let before = previous.withLock({ exchange(&$0, with: bytes) }) { try entry.write(before) }
      }
    }

    func close() {
      queue.sync {}
      entry.close()
    }
  }
}
