import BaizeClient
import BaizeTable

struct Note: Codable {
  var title: String
}

func shareBoard(at address: String, as name: String) async throws {
  let team = ClientConfiguration(table: "team", tableType: "kanban?columns=fixed", name: name)
  let board = try await TypedTable<Note>.join(address, team)

  let notes = try board.insert(Note(title: "Write"), Note(title: "Ship"), in: "todo").createdItems
  print(board["todo"])

  let move = board.move(notes[0], to: "doing")
  print(board["doing"])  // it is there already
  if case .refused(let refusal) = try await move.outcome { print(refusal.detail) }
}
