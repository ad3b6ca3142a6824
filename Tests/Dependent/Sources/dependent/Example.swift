import BaizeClient
import BaizeTable

func moveOneCard(at address: String) async throws {
  let board = ClientConfiguration(table: "example", tableType: "kanban?cards=5", name: "tablet")
  let client = try await TableClient.join(address, board)
  if let card = client.itemIDs(in: "todo").first, let doing = client.handle(of: "doing") {
    let difference = ReorderDifference(sources: [card], destination: .end(of: doing))
    print("the rules say \(client.dropConfiguration(for: difference).operation)")  // while hovering; no network
    let submission = client.reorder(difference)  // shows at once
    print("in doing: \(client.count(in: "doing"))")
    if case .refused(let refusal) = try await submission.outcome { print("rolled back: \(refusal.detail)") }
  }
  for await changes in client.changes.prefix(1) { print(changes) }  // what to redraw: own and others' changes
  await client.leave()
}
