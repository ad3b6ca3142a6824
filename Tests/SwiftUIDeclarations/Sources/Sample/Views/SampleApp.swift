import Bridge  // `BaizeSwiftUI` in an app
import SwiftUI

/// Two windows' worth of Baize: a card table and a board that everyone at the same daemon shares.
@available(macOS 27.0, iOS 27.0, visionOS 27.0, *)
@main
struct SampleApp: App {
  @State private var cards: CardTable?
  @State private var board: Board?
  @State private var failure = ""

  var body: some Scene {
    WindowGroup {
      VStack(spacing: 16) {
        Text(failure)
        if let cards { CardTableView(cards: cards) }
        if let board { BoardView(board: board) }
      }
      .task {
        do {
          cards = try await CardTable(joining: "evening", at: "127.0.0.1:7777", as: "Ada")
          board = try await Board(joining: "sprint", at: "127.0.0.1:7777", as: "Ada")
        } catch {
          failure = "\(error)"
        }
      }
    }
  }
}
