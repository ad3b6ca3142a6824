import BaizeTable

/// A playlist: queues each song of the library once.
struct PlaylistScoring: GameScoring {
  func proposals(at view: SeatView) -> [TableOperation.Kind] {
    guard let library = view.state.handle(of: "library"), let queue = view.state.handle(of: "queue") else { return [] }
    let queued = Set(view.state.items(in: queue, from: 0, limit: Self.songsMax).compactMap { $0.face["title"] })
    let songs = view.state.items(in: library, from: 0, limit: Self.songsMax)
    return songs.filter { $0.face["title"].map { !queued.contains($0) } ?? false }.map { song in
      .reorder(ReorderDifference(sources: .one(song.id), destination: .end(of: queue)), suggested: .copy)
    }
  }

  func worth(of candidate: Candidate, at view: SeatView) -> Double? { 1 }

  private static let songsMax = 256
}
