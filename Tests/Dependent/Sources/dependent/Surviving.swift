import BaizeClient

func survive(at address: String, keepingSessionsIn folder: String) async throws {
  let board = ClientConfiguration(table: "example", tableType: "kanban?columns=fixed&cards=5", name: "tablet")
  let client = try await TableClient.join(address, board, store: FileSessionStore(folder: folder))
  print("\(client.waitingOperations.count) operations of before")  // shown already, and on their way
  if let card = client.itemIDs(in: "todo").first { client.submit(.remove([card]), id: "removal 17") }
  try await client.save()  // optional: from here on, the removal survives a kill
  if let status = try await client.finalStatus(of: "removal 17") { print(status) }  // in this process or a later one
  await client.close()  // keeps the session; leave() ends it
}
