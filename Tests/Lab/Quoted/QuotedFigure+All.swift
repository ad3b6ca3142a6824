extension QuotedFigure {
  /// Every figure of the README that a measure gives.
  static let all: [QuotedFigure] = [
    QuotedFigure(
      "10,000 idle connections over WebSocket", 0, "idle --websocket --connections 10000", "memory", within: 1.1),
    QuotedFigure("15,000 idle connections at", 0, "idle", "memory", within: 1.1),
    QuotedFigure("the daemon's processor time per operation on two shards", 0, "shards --window 1", "ratio"),
    QuotedFigure("the daemon's processor time per operation on two shards", 1, "shards", "ratio"),
  ]
}
