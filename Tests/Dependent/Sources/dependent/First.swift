import BaizeClient

func moveFirstCard(at address: String) async throws {
  let board = ClientConfiguration(table: "first", tableType: "kanban?columns=fixed&cards=3", name: "Ada")
  let client = try await TableClient.join(address, board)
  guard let card = client.itemIDs(in: "todo").first else { return }
  let move = client.move([card], to: "doing")
  print(client.itemIDs(in: "doing"))  // it is there at once
  print(try await move.outcome)  // accepted, or refused with a reason, and then it is back in its place
  await client.leave()
}
