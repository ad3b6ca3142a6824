import BaizeClient
import BaizeLaboratory
import BaizeSync
import BaizeTable
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// A folder that is removed with this object.
private final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "baize-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The contract of session stores, and clients that resume from them.
@Suite(.hangGuard)
struct StoreTests {
  private let key = SessionKey(address: "127.0.0.1:7777", table: "Sprint_1")

  @Test(arguments: [true, false])
  func `I3: a store returns what was written last, to one client at a time`(isFile: Bool) throws {
    let folder = try Folder()
    let store: any SessionStore = isFile ? FileSessionStore(folder: folder.path + "/s") : MemorySessionStore()
    let entry = try store.open(key)
    #expect(try entry.read() == nil)
    try entry.write([1, 2, 3])
    try entry.write(Array(repeating: 9, count: 100_000))
    #expect(try entry.read()?.count == 100_000)
    for other in ["sprint_1", "Sprint_2"] {
      let second = try store.open(SessionKey(address: key.address, table: other))
      #expect(try second.read() == nil)
      second.close()
    }
    #expect(throws: SessionStoreError.self) { _ = try store.open(key) }
    entry.close()
    entry.close()
    let again = try store.open(key)
    #expect(try again.read()?.count == 100_000)
    try again.write([7])
    #expect(try again.read() == [7])
  }

  @Test func `an entry is free again when it is released`() throws {
    let folder = try Folder()
    for store in [FileSessionStore(folder: folder.path), MemorySessionStore()] as [any SessionStore] {
      do { _ = try store.open(key) }
      _ = try store.open(key)
    }
  }

  @Test func `a file has mode 0600, and one that others can read or write is refused`() throws {
    let folder = try Folder()
    let store = FileSessionStore(folder: folder.path)
    let path = store.path(of: key)
    let entry = try store.open(key)
    try entry.write([1])
    func mode() throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
    #expect(try mode() == 0o600)
    for mode in [0o640, 0o604, 0o620, 0o602] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(throws: SessionStoreError.notPrivate(path)) { try entry.read() }
    }
    try entry.write([2])
    #expect(try mode() == 0o600 && entry.read() == [2])
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
    #expect(throws: SessionStoreError.self) { try entry.read() }
  }

  @Test func `a folder that is not there is an error that names the file`() {
    let store = FileSessionStore(folder: "/nonexistent/folder/sessions")
    #expect(throws: SessionStoreError.self) { _ = try store.open(key) }
  }

  @Test func `a client joins with neither a store in use nor a damaged one, which stays as it is`() async throws {
    let folder = try Folder()
    let daemon = try TestDaemon()
    let store = FileSessionStore(folder: folder.path)
    let configuration = ClientConfiguration(table: "t", tableType: "list?items=3")
    let first = try await TableClient.join("\(daemon.address)", configuration, store: store, timeout: timeLimit)
    let path = store.path(of: SessionKey(address: "\(daemon.address)", table: "t"))
    await #expect(throws: JoinError.sessionStore(.inUse(path))) {
      _ = try await TableClient.join("\(daemon.address)", configuration, store: store, timeout: timeLimit)
    }
    await first.close()
    var bytes = try #require(FileManager.default.contents(atPath: path))
    bytes[40] ^= 1
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.write(contentsOf: bytes)
    await #expect(throws: JoinError.sessionStore(.damaged(path))) {
      _ = try await TableClient.join("\(daemon.address)", configuration, store: store, timeout: timeLimit)
    }
    #expect(FileManager.default.contents(atPath: path) == bytes)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data("something else".utf8))
    await #expect(throws: JoinError.sessionStore(.foreign(path))) {
      _ = try await TableClient.join("\(daemon.address)", configuration, store: store, timeout: timeLimit)
    }
  }
}

/// Clients with a store, closed and joined again at a daemon.
@Suite(.hangGuard)
struct RelaunchTests {
  private let daemon: TestDaemon

  init() throws { daemon = try TestDaemon() }

  private func join(
    _ daemon: TestDaemon, _ store: any SessionStore, on loop: ClientLoop? = nil
  ) async throws -> TableClient {
    var configuration = ClientConfiguration(table: "t", tableType: "list?items=3")
    configuration.backoffMilliseconds = 10
    configuration.waitForSlowMachines()
    return try await TableClient.join(
      .tcp(daemon.address), configuration, store: store, on: loop, timeout: timeLimit)
  }

  @Test(arguments: [true, false])
  func `I3: a relaunched client has its seat, and sends once what was not answered`(wasReceived: Bool) async throws {
    let store = MemorySessionStore()
    let client = try await join(daemon, store)
    let other = try await daemon.join("t")
    let (session, seat) = (client.session, client.seat)
    if wasReceived { await daemon.discardOutput(true) } else { await daemon.pauseReading(true) }
    let insert = TableOperation.Kind.insert(
      [NewItem(attributes: [Attribute("number", 10)])], .end(of: try #require(client.handle(of: "items"))))
    let submission = client.submit(insert, id: "ten")
    #expect(submission.id == "ten")
    if wasReceived { #expect(await eventually { daemon.discardedCount >= 1 }) }
    try await client.save()
    await client.close()
    await #expect(throws: CancellationError.self) { try await submission.outcome }
    #expect(client.status(of: "ten") == .pending)
    await daemon.discardOutput(false)
    await daemon.pauseReading(false)
    let again = try await join(daemon, store)
    #expect(again.session == session && again.seat == seat)
    guard case .accepted(_, let items) = try await again.finalStatus(of: "ten") else { return #expect(Bool(false)) }
    #expect(again.numbers().suffix(1) == [10] && again.count(in: "items") == 4)
    #expect(items == again.itemIDs(in: "items").suffix(1))
    #expect(again.submit(insert, id: "ten").refusal?.reason == .operationIDUsed)
    #expect(again.waitingOperations.count == 0 && again.waitingOperations.since == nil)
    await again.close()
    let third = try await join(daemon, store)
    let last = third.itemIDs(in: "items").suffix(1)
    #expect(third.status(of: "ten") == .accepted(third.revision, items: Array(last)) && third.session == session)
    await third.leave()
    let fourth = try await join(daemon, store)
    #expect(fourth.session != session && fourth.status(of: "ten") != nil)
    await other.leave()
  }

  @Test func `releasing a client with a store keeps its session`() async throws {
    let store = MemorySessionStore()
    var session: SessionID?
    do { session = try await join(daemon, store).session }
    var again: TableClient?
    // The released client gives its entry back once the loop has closed its connection.
    while again == nil {
      do { again = try await join(daemon, store) } catch JoinError.sessionStore(.inUse) { await Task.yield() }
    }
    #expect(again?.session == session)
  }

  @Test func `the offline queue shows how many operations wait, since when, and the next attempt`() async throws {
    let first = try TestDaemon()
    let client = try await join(first, MemorySessionStore())
    #expect(client.waitingOperations.count == 0 && client.waitingOperations.countMax == 256)
    let address = first.address
    first.stop()
    #expect(await eventually { client.connection != .live })
    let before = ContinuousClock.now
    for number in 1...256 { client.insert([NewItem(attributes: [Attribute("number", Int64(number))])], in: "items") }
    let waiting = client.waitingOperations
    #expect(waiting.count == 256 && client.waitingOperationIDs.count == 256)
    #expect(client.insert([NewItem()], in: "items").refusal?.reason == .tooManyPending)
    let since = try #require(waiting.since)
    #expect(since >= before - .milliseconds(1) && since <= .now)
    #expect(await eventually { client.waitingOperations.nextAttempt != nil })
    // Another daemon there does not know the session: the operations are unknown, and not sent.
    let second = try await TestDaemon.taking(address)
    client.reconnectNow()
    #expect(await eventually { client.connection.isLive && client.waitingOperations.count == 0 })
    #expect(client.count(in: "items") == 3)
    second.stop()
  }

  @Test func `I12: an attempt to join that fails leaves the store as it is`() async throws {
    let store = MemorySessionStore()
    let client = try await join(daemon, store)
    await daemon.pauseReading(true)
    let submission = client.insert([NewItem()], in: "items")
    try await client.save()
    await client.close()
    let configuration = ClientConfiguration(table: "t")
    await #expect(throws: JoinError.self) {
      _ = try await TableClient.join(
        .tcp(daemon.address), configuration, store: store, timeout: .milliseconds(200))
    }
    await daemon.pauseReading(false)
    let again = try await join(daemon, store)
    let id = try #require(submission.id)
    let status = try await again.finalStatus(of: id)
    guard case .accepted = status else {
      Issue.record("\(String(describing: status))")
      return
    }
    #expect(again.count(in: "items") == 4)
  }

  @Test func `a burst is written once, off the app's thread, and only then sent`() async throws {
    let store = GatedStore()
    // The store holds up its thread, which no other test's clients may share.
    let client = try await join(daemon, store, on: try ClientLoop(name: "test-store"))
    try await client.save()
    store.close()
    client.insert([NewItem()], in: "items")
    #expect(await eventually { store.isWaiting })
    let writes = store.writes
    for _ in 1...100 { client.insert([NewItem()], in: "items") }
    #expect(client.count(in: "items") == 104 && store.writes == writes && client.waitingOperations.count == 101)
    let opened = ContinuousClock.now
    store.open()
    #expect(await eventually { client.waitingOperations.count == 0 })
    // The write that waited, one for the burst, and those that the answers cause, which wait for each other.
    let (count, milliseconds) = (store.writes - writes, UInt64((ContinuousClock.now - opened) / .milliseconds(1)))
    #expect(count <= 3 + milliseconds / ClientLimits.saveMilliseconds, "\(count) writes in \(milliseconds) ms")
  }
}

/// A store in memory whose writes wait while it is closed.
private final class GatedStore: SessionStore, Sendable {
  private struct State {
    var writes = 0
    var isClosed = false
    var isWaiting = false
  }

  private let state = Mutex(State())
  private let gate = DispatchSemaphore(value: 0)

  var writes: Int { state.withLock { $0.writes } }
  var isWaiting: Bool { state.withLock { $0.isWaiting } }

  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    let isWaiting = state.withLock { state in
      state.isClosed = false
      return state.isWaiting
    }
    if isWaiting { gate.signal() }
  }

  func open(_ key: SessionKey) throws -> any SessionStoreEntry { Entry(self) }

  private func write() {
    let waits = state.withLock { state in
      state.isWaiting = state.isClosed
      return state.isClosed
    }
    if waits { gate.wait() }
    state.withLock { $0.writes += 1 }
  }

  private final class Entry: SessionStoreEntry {
    let store: GatedStore

    init(_ store: GatedStore) { self.store = store }

    func read() throws -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) throws { store.write() }
    func close() {}
  }
}
