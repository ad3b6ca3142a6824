import BaizeClient
import BaizeTable

struct Card: Codable {
  var title: String
  var points = 1
}

func playBoard(at address: String) async throws {
  let sprint = ClientConfiguration(table: "sprint", tableType: "kanban?columns=fixed&doing=1", name: "tablet")
  let board = try await TypedTable<Card>.join(address, sprint)
  let cards = try board.insert(Card(title: "Write"), Card(title: "Ship", points: 3), in: "todo").createdItems
  let move = board.move(cards[0], to: "doing")  // shows at once
  print(board["doing"])
  print(try await move.outcome)
  print(try await board.move(cards[1], to: "doing").outcome)  // refused, and back in its place: the column is full
  print(try await board.undo(move).outcome)
  try board.update(cards[1]) { $0.points = 5 }  // sends one attribute
  for await changes in board.changes.prefix(1) { print(changes) }  // what to redraw: own and others' changes
  await board.leave()
}
