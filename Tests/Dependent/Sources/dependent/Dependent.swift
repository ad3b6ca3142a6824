// An app imports these two; one that embeds the daemon imports `BaizeServer` as well.
import BaizeClient
import BaizeServer
import BaizeTable
import Foundation

/// Uses the libraries as an app does. Given `HOST:PORT` it plays at a daemon; without, it shows that everything an app
/// names is within reach, that a table without a daemon is refused in time, and that the documents' examples run at a
/// daemon of one's own.
@main
struct Dependent {
  static func main() async throws {
    let address = CommandLine.arguments.dropFirst().first
    let configuration = ClientConfiguration(table: "dependent", tableType: "kanban?columns=fixed&cards=3", name: "Ada")
    do {
      let client = try await TableClient.join(
        address ?? "127.0.0.1:1", configuration, timeout: .milliseconds(address == nil ? 100 : 5_000))
      try await play(client)
      await client.leave()
    } catch let error as JoinError {
      print("not joined: \(error)")
      if case .refused(let goodbye) = error, goodbye.reason == .tableFull { print("come back later") }
      if address != nil { throw error }
      try await playAtHome()
    }
  }

  /// The examples of README.md, Protocol/apps.md and the tutorial of the documentation, at a daemon inside this process.
  static func playAtHome() async throws {
    var configuration = ServerConfiguration()
    configuration.address = .loopback(port: 0)
    let server = try await Server.start(configuration)
    try await moveFirstCard(at: "\(server.address)")
    try await shareBoard(at: "\(server.address)")
    try await playBoard(at: "\(server.address)")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("baize-\(UUID().uuidString)").path
    for _ in 1...2 { try await survive(at: "\(server.address)", keepingSessionsIn: folder) }
    try FileManager.default.removeItem(atPath: folder)
    await server.stop()
  }

  /// The tutorial's program, while somebody else changes the board.
  static func shareBoard(at address: String) async throws {
    let other = try await TypedTable<Note>.join(
      address, ClientConfiguration(table: "team", tableType: "kanban?columns=fixed", name: "Bob"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await dependent.shareBoard(at: address, as: "Ada") }
      group.addTask {
        while !Task.isCancelled {
          _ = try await other.insert(Note(title: "Talk"), in: "todo").outcome
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      try await group.next()
      group.cancelAll()
    }
    await other.leave()
  }

  static func play(_ client: TableClient) async throws {
    let cards = client.items(in: "todo")
    guard let card = cards.first, let doing = client.handle(of: "doing") else { return }
    for destination in client.legalDestinations(for: [card.id]) {
      print("\(destination.id): \(destination.configuration.operation)")
    }

    let difference = BaizeTable.ReorderDifference(sources: [card.id], destination: .end(of: doing))
    let verdict = client.dropConfiguration(for: difference)
    print("hovering over doing: \(verdict.operation)")
    client.beginDrag([card.id], formation: .pile)
    client.moveDrag(over: .end(of: doing))
    let submission = client.reorder(difference)
    client.endDrag()
    print("at once: \(client.count(in: "doing")) in doing, \(submission.changes.count) changes")
    switch try await submission.outcome {
    case .accepted(let diff): print("accepted: \(diff)")
    case .acceptedBefore, .unchanged, .invited: print("nothing new")
    case .refused(let refusal): print("refused: \(refusal)")
    case .unknown: print("the session has ended")
    }
    _ = try await client.move(fromOffsets: [0], toOffset: 2, in: "todo").outcome
    let model = await TableModel(client)
    print("the model shows \(await model["doing"].count) in doing, \(await model.seats.map(\.name))")
    for await event in client.events {
      guard case .changed(let changes) = event else { continue }
      print("changes: \(changes)")
      break
    }
  }
}
