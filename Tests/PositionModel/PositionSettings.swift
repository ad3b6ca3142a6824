/// What the people of a world do. Chances are one in so many.
struct PositionSettings: Sendable {
  /// The number of writers, chosen by each world's seed.
  var writers = 3...3
  var disturbers = 1
  var collections = 1
  var items = 6
  var steps = 300
  /// The number of runs that each writer types, one after the other.
  var runs = 1
  /// Whether writers move items instead of making new ones.
  var moves = false
  /// Whether drops go to any gap, and not beside the last one.
  var anyGap = false
  var blocks = false
  var undoes = false
  /// Whether disturbers only take items away.
  var takesOut = false
  /// Whether disturbers take out what writers typed, and put it back.
  var returns = false
  /// Whether there is a collection whose drops land at the end of the first one.
  var redirects = false
  var isFirstWins = false
  var capacity: Int?
  /// Whether positions are forgotten as soon as no base reaches back to them.
  var forgets = false
  /// How seldom a disturber acts, and a writer receives.
  var calm = 1
  var late = 1

  /// The table on which the people meet.
  func setUp(authors: Int, fault: ModelFault?) -> PositionSetUp {
    var lists = [Array(1...items)]
    for extra in 1..<max(1, collections) { lists.append(Array(1...5).map { items + 5 * extra + $0 }) }
    if redirects { lists.append([]) }
    var setUp = PositionSetUp(lists)
    if redirects { setUp.rules[lists.count - 1].redirect = 0 }
    if let capacity { setUp.rules[0] = PositionTable.Rules(capacity: capacity, acceptsPart: true) }
    setUp.isFirstWins = isFirstWins
    setUp.authors = authors
    setUp.fault = fault
    return setUp
  }
}

/// A kind of work that is searched.
struct PositionSituation: Sendable {
  let name: String
  let settings: PositionSettings

  private init(_ name: String, _ set: (inout PositionSettings) -> Void) {
    var settings = PositionSettings()
    set(&settings)
    (self.name, self.settings) = (name, settings)
  }

  static let all = [
    Self("typing") { $0.calm = 2 },
    Self("several gaps") {
      $0.anyGap = true
      $0.calm = 2
    },
    Self("one author's gaps") {
      ($0.writers, $0.disturbers, $0.items) = (1...1, 2, 12)
      ($0.anyGap, $0.takesOut, $0.late) = (true, true, 4)
    },
    Self("typed runs") {
      ($0.writers, $0.disturbers, $0.runs, $0.steps) = (3...5, 2, 2, 400)
      ($0.undoes, $0.blocks) = (true, true)
      $0.calm = 4
    },
    Self("returned runs") {
      ($0.disturbers, $0.runs, $0.steps) = (2, 2, 400)
      ($0.undoes, $0.returns) = (true, true)
      $0.calm = 2
    },
    Self("moved runs, where the first wins") {
      ($0.items, $0.moves, $0.blocks) = (14, true, true)
      $0.isFirstWins = true
      $0.calm = 2
    },
    Self("undo and blocks") {
      ($0.undoes, $0.blocks) = (true, true)
      $0.disturbers = 2
      $0.calm = 2
    },
    Self("undo of moves, where the first wins") {
      ($0.items, $0.moves, $0.undoes) = (14, true, true)
      $0.isFirstWins = true
      $0.disturbers = 2
      $0.calm = 2
    },
    Self("columns with limits") {
      ($0.collections, $0.capacity, $0.items) = (2, 16, 12)
      ($0.moves, $0.blocks, $0.undoes) = (true, true, true)
      $0.calm = 2
    },
    Self("redirected drops") {
      ($0.collections, $0.items) = (2, 12)
      ($0.moves, $0.redirects, $0.undoes) = (true, true, true)
      $0.calm = 3
    },
    Self("late messages, and positions forgotten at once") {
      ($0.anyGap, $0.undoes, $0.forgets) = (true, true, true)
      $0.disturbers = 2
      ($0.late, $0.steps) = (20, 600)
    },
  ]
}
