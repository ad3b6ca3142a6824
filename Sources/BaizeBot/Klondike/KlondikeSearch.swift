import BaizeTable

/// A best-first search from a board over all that is known of it, within a budget of boards.
///
/// Its goal is to turn a card over in the way that leaves the most options; once no card is face down, to move all cards to
/// the foundations. A plan ends with the first card it turns over, since the rest depends on that card.
struct KlondikeSearch {
  /// The result of a search.
  struct Result {
    /// The moves to make; empty if the search found none.
    var plan: [KlondikeMove] = []
    /// Whether the search visited every reachable board, so that an empty plan means that there is none.
    var isExhausted = false
  }

  /// The values of a move's effects.
  struct Weights: Sendable {
    var reveal = 1_000
    var revealPerCardBelow = 20
    var laterReveal = 300
    var up = 12
    var wasteUp = 14
    var waste = 8
    var down = -30
    var emptied = 10
    var step = -2
    /// Per draw, in sixteenths.
    var draw = -1
  }

  private struct Node {
    var parent: Int32
    var move: KlondikeMove
    var key: UInt64
    var score: Int
    var reveals: Int
  }

  let layout: KlondikeLayout
  let weights: Weights
  /// Whether boards with different stock states differ. They do not if cards are drawn singly with unlimited redeals.
  private let countsStock: Bool
  private let isStockScarce: Bool
  private let isEndgame: Bool
  private var nodes: [Node] = []
  private var boards: [KlondikeBoard] = []
  /// The index of each node's board in `boards`; −1 if the node has not been expanded.
  private var boardOf: [Int32] = []
  private var frontier = Frontier()
  private var seen: Set<UInt64> = []
  private var best = -1

  init(layout: KlondikeLayout, board: KlondikeBoard, weights: Weights = Weights()) {
    self.layout = layout
    self.weights = weights
    countsStock = layout.drawCount != 1 || board.redeals != KlondikeBoard.unlimited
    isStockScarce = board.redeals != KlondikeBoard.unlimited
    isEndgame = board.faceDownTotal == 0
    let key = board.key
    nodes = [
      Node(
        parent: -1, move: KlondikeMove(kind: .pileToFoundation(from: 0), card: .unknown), key: key, score: 0, reveals: 0
      )
    ]
    boards = [board]
    boardOf = [0]
    seen = [countsStock ? key &+ board.stockKey : key]
  }

  /// Searches until the budget is spent or a goal is certain.
  ///
  /// - Parameters:
  ///   - boardsMax: The maximum number of boards to expand.
  ///   - isForbidden: Whether the table has refused a move.
  mutating func run(boardsMax: Int, isForbidden: (KlondikeMove) -> Bool) -> Result {
    var current = 0
    var expanded = 0
    var moves: [KlondikeMove] = []
    while true {
      expanded += 1
      moves.removeAll(keepingCapacity: true)
      let board = boards[Int(boardOf[current])]
      board.moves(for: layout, into: &moves)
      for move in moves where current != 0 || !isForbidden(move) { consider(move, from: current, board) }
      if isEndgame, best >= 0, nodes[best].reveals == 52 { break }
      guard expanded < boardsMax, let next = frontier.pop() else { break }
      current = next
      open(current)
    }
    return Result(plan: plan(), isExhausted: frontier.isEmpty)
  }

  /// Returns whether a move takes a card out of a stock with limited redeals, which is worth something by itself.
  private func playsScarceStock(_ move: KlondikeMove) -> Bool {
    guard isStockScarce else { return false }
    switch move.kind {
    case .wasteToPile, .wasteToFoundation: return true
    case .pileToPile, .pileToFoundation, .foundationToPile: return false
    }
  }

  private mutating func consider(_ move: KlondikeMove, from parent: Int, _ board: KlondikeBoard) {
    let node = nodes[parent]
    let key = board.key(node.key, after: move)
    guard seen.insert(countsStock ? key &+ board.stockKey(after: move) : key).inserted else { return }
    var reveals = node.reveals
    if isEndgame {
      reveals = board.foundationCount + change(move)
    } else if move.reveals || playsScarceStock(move) {
      reveals += 1
    }
    let score = node.score + worth(of: move, on: board, isFirstReveal: node.reveals == 0)
    nodes.append(Node(parent: Int32(parent), move: move, key: key, score: score, reveals: reveals))
    boardOf.append(-1)
    let index = nodes.count - 1
    if reveals > (isEndgame ? boards[0].foundationCount : 0), best < 0 || isBetter(index, best) { best = index }
    frontier.push(index, score: score)
  }

  private func isBetter(_ one: Int, _ other: Int) -> Bool {
    if isEndgame, nodes[one].reveals != nodes[other].reveals { return nodes[one].reveals > nodes[other].reveals }
    return nodes[one].score > nodes[other].score
  }

  private func change(_ move: KlondikeMove) -> Int {
    switch move.kind {
    case .pileToFoundation, .wasteToFoundation: 1
    case .foundationToPile: -1
    case .pileToPile, .wasteToPile: 0
    }
  }

  private func worth(of move: KlondikeMove, on board: KlondikeBoard, isFirstReveal: Bool) -> Int {
    var worth = weights.step + weights.draw * move.draws / 16
    switch move.kind {
    case .pileToPile(let from, _, let count):
      if board.count(from) == count { worth += weights.emptied }
      if move.reveals { worth += revealWorth(from, board, isFirstReveal) }
    case .pileToFoundation(let from):
      worth += isEndgame ? 100 : weights.up
      if move.reveals { worth += revealWorth(from, board, isFirstReveal) }
    case .wasteToFoundation: worth += isEndgame ? 100 : weights.wasteUp
    case .wasteToPile: worth += weights.waste
    case .foundationToPile: worth += isEndgame ? -100 : weights.down
    }
    return worth
  }

  private func revealWorth(_ pile: Int, _ board: KlondikeBoard, _ isFirst: Bool) -> Int {
    (isFirst ? weights.reveal : weights.laterReveal) + weights.revealPerCardBelow * board.faceDownCount(pile)
  }

  /// Creates the board of a node.
  private mutating func open(_ node: Int) {
    var board = boards[Int(boardOf[Int(nodes[node].parent)])]
    board.make(nodes[node].move)
    boards.append(board)
    boardOf[node] = Int32(boards.count - 1)
  }

  /// Returns the moves to the best node, up to the first that turns a card over.
  private func plan() -> [KlondikeMove] {
    var path: [KlondikeMove] = []
    var node = best
    while node > 0 {
      path.append(nodes[node].move)
      node = Int(nodes[node].parent)
    }
    path.reverse()
    guard !isEndgame, let first = path.firstIndex(where: \.reveals) else { return path }
    return Array(path[...first])
  }
}

/// The nodes to expand in a binary heap: highest score first, then lowest index.
private struct Frontier {
  /// The score in the upper half, the negated index in the lower half, so that one comparison decides.
  private var entries: [Int64] = []

  var isEmpty: Bool { entries.isEmpty }

  mutating func push(_ index: Int, score: Int) {
    let entry = Int64(score) << 32 - Int64(index)
    entries.append(entry)
    var hole = entries.count - 1
    while hole > 0, entries[(hole - 1) / 2] < entry {
      entries[hole] = entries[(hole - 1) / 2]
      hole = (hole - 1) / 2
    }
    entries[hole] = entry
  }

  mutating func pop() -> Int? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    if !entries.isEmpty {
      var hole = 0
      while true {
        var child = 2 * hole + 1
        guard child < entries.count else { break }
        if child + 1 < entries.count, entries[child + 1] > entries[child] { child += 1 }
        guard entries[child] > last else { break }
        entries[hole] = entries[child]
        hole = child
      }
      entries[hole] = last
    }
    return Int(-(first & 0xFFFF_FFFF)) & 0xFFFF_FFFF
  }
}
