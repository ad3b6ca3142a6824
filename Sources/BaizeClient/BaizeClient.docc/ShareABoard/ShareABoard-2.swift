import BaizeClient
import BaizeTable

struct Note: Codable {
  var title: String
}

func shareBoard(at address: String, as name: String) async throws {
  let team = ClientConfiguration(table: "team", tableType: "kanban?columns=fixed", name: name)
  let board = try await TypedTable<Note>.join(address, team)
}
