import BaizeTable

/// People who type, drop, remove and undo in the same collections at once, seeded, and what must be true of the result.
struct PositionWorld {
  /// What the people do. Chances are one in so many.
  struct Settings: Sendable {
    var writers = 3
    var disturbers = 1
    var collections = 1
    var items = 6
    var steps = 300
    /// Whether writers move items instead of making new ones.
    var moves = false
    /// Whether drops go to any gap, and not beside the last one.
    var anyGap = false
    var blocks = false
    var undoes = false
    var redirects = false
    var isFirstWins = false
    var capacity: Int?
    /// Whether positions are forgotten as soon as no base reaches back to them.
    var forgets = false
    /// How seldom a disturber acts, and a writer receives.
    var calm = 1
    var late = 1
  }

  /// A violation of a property.
  enum Violation: String, CaseIterable, Sendable {
    /// What an author saw on one side of its gap, and nobody else has touched since, is on the other.
    case order
    /// An item stands inside another's run that its author did not see on both sides.
    case runs
    /// It made a difference whether others took something away before or after a drop.
    case away
    /// An answer as predicted changed what was shown.
    case prediction
    /// With nothing in flight, a client shows another order than the authority.
    case convergence
  }

  struct Person {
    var client: ModelClient
    var memory = ModelMemory()
    var sent: [ModelOperation] = []
    var received: [(operation: ModelOperation, answer: ModelAnswer)] = []
    var views: [Int: ModelView] = [:]
    /// The number of the operation that was answered `retry` first.
    var retried: Int?
    var collection = 0
    var lastItem: Int?
    var undoable: [Int] = []
    var direction = 0
    var dropsLeft = 0
  }

  /// An accepted drop: the positions that it made, and those that its author saw on both sides.
  struct Drop {
    let author: Int
    let collection: Int
    let view: ModelView
    let items: [(item: Int, position: Int)]
    let inFront: [(item: Int, position: Int)]
    let behind: [(item: Int, position: Int)]
    /// The runs inside which one of the two named positions stood.
    let runsBeside: Set<Int>
    /// The run that it continues or begins.
    let run: Int
  }

  struct Judged {
    let operation: ModelOperation
    let verdict: ModelVerdict
    let revision: Int
    let redirects: Bool
    /// Whether it takes away and puts nothing into the same collection.
    let takesAway: Bool
  }

  let settings: Settings
  var random: RandomSource
  let start: PositionTable
  var table: PositionTable
  var people: [Person] = []
  var drops: [Drop] = []
  /// The positions that were made one beside the other by the same author, who saw that.
  var runs: [(session: Int, positions: [Int])] = []
  var judged: [Judged] = []
  var violations: Set<Violation> = []

  init(seed: UInt64, _ settings: Settings, fault: ModelFault? = nil) {
    self.settings = settings
    random = RandomSource(seed: seed)
    var lists = [Array(1...settings.items)]
    for extra in 1..<max(1, settings.collections) { lists.append(Array(1...5).map { settings.items + 5 * extra + $0 }) }
    if settings.redirects { lists.append([]) }
    var table = PositionTable(lists, fault: fault)
    table.isFirstWins = settings.isFirstWins
    let client = table
    if settings.redirects {
      for index in 0..<(lists.count - 1) { table.rules[index].redirect = lists.count - 1 }
    }
    if let capacity = settings.capacity { table.rules[0] = PositionTable.Rules(capacity: capacity, acceptsPart: true) }
    start = table
    self.table = table
    for author in 1...(settings.writers + settings.disturbers) {
      var person = Person(client: ModelClient(author: author, of: client))
      person.direction = below(3)
      person.dropsLeft = 2 + below(5)
      person.collection = below(settings.collections)
      people.append(person)
    }
  }

  mutating func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(max(1, bound)))) }

  /// Plays the world to its end.
  ///
  /// - Returns: What was violated.
  mutating func run() -> Set<Violation> {
    for _ in 0..<settings.steps {
      let index = below(people.count)
      switch below(3) {
      case 0: index < settings.writers ? write(index) : disturb(index)
      case 1: judgeNext(of: index)
      default: if index >= settings.writers || below(settings.late) == 0 { receive(index) }
      }
      if settings.forgets { table.forget(through: oldestBase) }
    }
    while people.contains(where: { !$0.sent.isEmpty || !$0.received.isEmpty }) {
      for index in people.indices {
        while !people[index].sent.isEmpty { judgeNext(of: index) }
        while !people[index].received.isEmpty { receive(index) }
      }
    }
    checkConvergence()
    checkOrder()
    checkRuns()
    checkAway()
    return violations
  }

  var oldestBase: Int {
    people.flatMap { [$0.client.confirmed.revision] + $0.sent.map(\.base) }.min() ?? 0
  }

  // MARK: What arrives

  mutating func judgeNext(of index: Int) {
    guard !people[index].sent.isEmpty else { return }
    let operation = people[index].sent.removeFirst()
    // Once one was answered `retry`, all are until that comes again.
    if let first = people[index].retried, operation.number != first {
      return people[index].received.append((operation, ModelAnswer(verdict: .retry)))
    }
    people[index].retried = nil
    table.redirects = settings.redirects && operation.lands && below(4) == 0
    let sources = operation.items.compactMap { table.place(ofItem: $0)?.collection }
    let seen = sides(of: operation, by: index)
    let answer = table.judge(operation, &people[index].memory)
    if answer.verdict == .retry {
      people[index].retried = operation.number
      return people[index].received.append((operation, answer))
    }
    let stays = answer.diff?.blocks.contains { sources.contains($0.collection) || operation.isUndo } ?? true
    judged.append(
      Judged(
        operation: operation, verdict: answer.verdict, revision: table.revision, redirects: table.redirects,
        takesAway: answer.diff?.taken.isEmpty == false && !stays))
    note(operation, answer, seen, by: index)
    for other in people.indices where other == index || answer.diff != nil {
      people[other].received.append((operation, answer))
    }
  }

  /// Returns the positions that an author saw on both sides of its gap, as far as they are where it saw them.
  func sides(
    of operation: ModelOperation, by index: Int
  ) -> (inFront: [(item: Int, position: Int)], behind: [(item: Int, position: Int)]) {
    let (view, memory) = (people[index].views[operation.number] ?? ModelView(), people[index].memory)
    func positions(_ names: [ModelOperation.Name]) -> [(item: Int, position: Int)] {
      names.compactMap { name in
        guard !table.isLost(name, operation, memory) else { return nil }
        return table.position(named: name, operation, memory).map { (name.item, $0) }
      }
    }
    return (positions(view.inFront), positions(view.behind))
  }

  mutating func note(
    _ operation: ModelOperation, _ answer: ModelAnswer,
    _ seen: (inFront: [(item: Int, position: Int)], behind: [(item: Int, position: Int)]), by index: Int
  ) {
    guard operation.lands, answer.diff?.isRedirected != true, let entry = people[index].memory.entries.last else {
      return
    }
    if case .refused = answer.verdict { return }
    var items: [(item: Int, position: Int)] = []
    for (item, outcome) in entry.outcomes.sorted(by: { $0.key < $1.key }) {
      if case .put(let id, _) = outcome, table.position(ofItem: item)?.id == id { items.append((item, id)) }
    }
    let named = [table.lastNeighbors.after, table.lastNeighbors.before].compactMap { $0 }
    // P3: beside the one in front, if both are own.
    var own: Int?
    for named in named where own == nil { own = run(of: operation.author, at: named) }
    if own == nil { runs.append((operation.author, [])) }
    let run = own ?? runs.count - 1
    runs[run].positions += items.map(\.position)
    drops.append(
      Drop(
        author: operation.author, collection: operation.collection,
        view: people[index].views[operation.number] ?? ModelView(), items: items, inFront: seen.inFront,
        behind: seen.behind, runsBeside: runs(around: named, in: operation.collection), run: run))
  }

  func run(of session: Int, at named: Int) -> Int? {
    runs.firstIndex { $0.session == session && $0.positions.contains { table.standing($0) == named } }
  }

  /// Returns the runs that have positions on both sides of one of these.
  func runs(around named: [Int], in collection: Int) -> Set<Int> {
    let indices = indicesOfRuns(in: collection) { _ in true }
    let list = table.collections[collection]
    var around: Set<Int> = []
    for named in named.compactMap({ named in list.firstIndex { $0.id == named } }) {
      for (run, span) in indices where span.first < named && named < span.last { around.insert(run) }
    }
    return around
  }

  /// Returns the first and the last index of each run, of those of its positions that count.
  func indicesOfRuns(
    in collection: Int, where counts: (Position) -> Bool
  ) -> [Int: (first: Int, last: Int)] {
    var spans: [Int: (first: Int, last: Int)] = [:]
    let list = table.collections[collection]
    for (run, positions) in runs.map(\.positions).enumerated() {
      let ids = Set(positions + positions.map(table.standing))
      let indices = list.indices.filter { ids.contains(list[$0].id) && counts(list[$0]) }
      if let first = indices.first, let last = indices.last { spans[run] = (first, last) }
    }
    return spans
  }

  mutating func receive(_ index: Int) {
    guard !people[index].received.isEmpty else { return }
    let (operation, answer) = people[index].received.removeFirst()
    let isOwn = operation.author == people[index].client.author
    let before = isOwn ? shown(by: index) : []
    let isExpected = people[index].client.expects(answer)
    for (operation, view) in people[index].client.receive(answer, to: operation) { send(operation, view, by: index) }
    // A client does not know the rules that redirect and limit here.
    guard isOwn, isExpected, !settings.redirects, settings.capacity == nil else { return }
    if shown(by: index) != before { violations.insert(.prediction) }
  }

  mutating func shown(by index: Int) -> [[Int]] {
    table.collections.indices.map { people[index].client.items(in: $0) }
  }
}

extension PositionWorld.Settings {
  /// The situations that are searched, each a kind of work together.
  static let situations: [(name: String, settings: Self)] = [
    situation("typing") { $0.calm = 2 },
    situation("several gaps") {
      $0.anyGap = true
      $0.calm = 2
    },
    situation("moved runs, where the first wins") {
      ($0.items, $0.moves, $0.blocks) = (14, true, true)
      $0.isFirstWins = true
      $0.calm = 2
    },
    situation("undo and blocks") {
      ($0.undoes, $0.blocks) = (true, true)
      $0.disturbers = 2
      $0.calm = 2
    },
    situation("undo of moves, where the first wins") {
      ($0.items, $0.moves, $0.undoes) = (14, true, true)
      $0.isFirstWins = true
      $0.disturbers = 2
      $0.calm = 2
    },
    situation("columns with limits") {
      ($0.collections, $0.capacity, $0.items) = (2, 16, 12)
      ($0.moves, $0.blocks, $0.undoes) = (true, true, true)
      $0.calm = 2
    },
    situation("redirected drops") {
      ($0.collections, $0.items) = (2, 12)
      ($0.moves, $0.redirects, $0.undoes) = (true, true, true)
      $0.calm = 3
    },
    situation("late messages, and positions forgotten at once") {
      ($0.anyGap, $0.undoes, $0.forgets) = (true, true, true)
      $0.disturbers = 2
      ($0.late, $0.steps) = (20, 600)
    },
  ]

  private static func situation(_ name: String, _ set: (inout Self) -> Void) -> (name: String, settings: Self) {
    var settings = Self()
    set(&settings)
    return (name, settings)
  }
}
