import BaizeTable

/// People who type, drop, remove and undo in the same collections at once, seeded, and what must be true of the result.
struct PositionWorld<System: PositionSystem> {
  struct Person {
    let author: Int
    var sent: [Sent<System.Request>] = []
    var received: [Received] = []
    /// The number of the operation that was answered `retry` first.
    var retried: Int?
    var lastNumber = 0
    /// The drops that are not answered, and the numbers of those that have been shown on another side of what their author saw.
    var pendingDrops: [PendingDrop] = []
    var flipped: Set<Int> = []
    /// The number that its last operation had when an answer came that was not as predicted.
    var surprisedAt = 0
    var collection = 0
    var lastItem: Int?
    var undoable: [Int] = []
    /// Items that were moved away, and what was in front of them.
    var away: [(item: Int, behind: Int?)] = []
    var direction = 0
    var dropsLeft = 0
    var runsLeft = 0
    /// The items of the run that is typed, in the order in which they are to stand, and those before.
    var typed: [Int] = []
    var runs: [[Int]] = []
  }

  struct PendingDrop {
    let operation: ModelOperation
    let view: ModelView
    /// What others have touched since.
    var touched: Set<Int> = []
  }

  struct Received {
    let operation: ModelOperation
    let answer: ModelAnswer
    let message: System.Message
  }

  /// An accepted drop: the places that it made, and those that its author saw on both sides.
  struct Drop {
    let author: Int
    let collection: Int
    let view: ModelView
    let items: [(item: Int, place: Int)]
    let inFront: [(item: Int, place: Int)]
    let behind: [(item: Int, place: Int)]
    /// The runs inside which one of the two named positions stood.
    let runsBeside: Set<Int>
    /// The run that it continues or begins.
    let run: Int
    /// Whether its author saw before how its pending operations were to be judged.
    let isAsShown: Bool
  }

  struct Judged {
    let sent: Sent<System.Request>
    let verdict: ModelVerdict
    let revision: Int
    /// Whether it takes away and puts nothing into the same collection.
    let takesAway: Bool
  }

  let settings: PositionSettings
  let writers: Int
  let collections: Int
  var random: RandomSource
  let start: System
  var system: System
  var ledger: PositionLedger
  var people: [Person] = []
  var drops: [Drop] = []
  var judged: [Judged] = []
  var revision = 0
  var counts = PositionCounts()
  var violations: Set<PositionViolation> = []

  init(seed: UInt64, _ settings: PositionSettings, fault: ModelFault? = nil) {
    self.settings = settings
    var random = RandomSource(seed: seed)
    writers = settings.writers.lowerBound + Int(random.next(below: UInt64(settings.writers.count)))
    self.random = random
    let setUp = settings.setUp(authors: writers + settings.disturbers, fault: fault)
    collections = setUp.lists.count
    start = System(setUp)
    system = start
    ledger = PositionLedger(setUp)
    for author in 1...setUp.authors {
      var person = Person(author: author)
      person.runsLeft = settings.runs
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
  mutating func run() -> Set<PositionViolation> {
    for _ in 0..<settings.steps {
      let index = below(people.count)
      switch below(3) {
      case 0: index < writers ? write(index) : disturb(index)
      case 1: judgeNext(of: index)
      default: if index >= writers || below(settings.late) == 0 { receive(index) }
      }
      if settings.forgets { system.forget(through: oldestBase) }
    }
    while people.contains(where: { !$0.sent.isEmpty || !$0.received.isEmpty }) {
      for index in people.indices {
        while !people[index].sent.isEmpty { judgeNext(of: index) }
        while !people[index].received.isEmpty { receive(index) }
      }
    }
    checkConvergence()
    for drop in drops { checkOrder(drop) }
    for collection in 0..<collections { checkRuns(in: collection) }
    checkAway()
    counts.disagreement = system.disagreement
    if system.disagreement != nil { violations.insert(.agreement) }
    countRuns()
    counts.worlds = 1
    counts.drops = drops.count
    return violations
  }

  var oldestBase: Int {
    people.flatMap { [system.confirmedRevision(of: $0.author)] + $0.sent.map(\.operation.base) }.min() ?? 0
  }

  // MARK: What arrives

  mutating func judgeNext(of index: Int) {
    guard !people[index].sent.isEmpty else { return }
    let sent = people[index].sent.removeFirst()
    let operation = sent.operation
    // Once one was answered `retry`, all are until that comes again.
    if let first = people[index].retried, operation.number != first {
      return people[index].received.append(
        Received(operation: operation, answer: ModelAnswer(verdict: .retry), message: system.postpone(sent.request)))
    }
    people[index].retried = nil
    let (answer, message) = system.judge(sent.request)
    if answer.verdict == .retry {
      people[index].retried = operation.number
      return people[index].received.append(Received(operation: operation, answer: answer, message: message))
    }
    revision = answer.diff?.revision ?? revision
    note(answer, to: sent)
    for other in people.indices where other == index || answer.diff != nil {
      people[other].received.append(Received(operation: operation, answer: answer, message: message))
    }
  }

  private mutating func note(_ answer: ModelAnswer, to sent: Sent<System.Request>) {
    let operation = sent.operation
    let taken = answer.diff?.taken ?? []
    let staysThere =
      answer.diff?.blocks.contains { !Set(ledger.items(in: $0.collection)).isDisjoint(with: taken) } ?? false
    judged.append(
      Judged(
        sent: sent, verdict: answer.verdict, revision: revision,
        takesAway: !taken.isEmpty && !staysThere && !operation.isUndo))
    // Where what the author saw stands, before anything happens to it.
    let inFront = places(sent.view.inFront, operation)
    let behind = places(sent.view.behind, operation)
    let isAsShown = (operation.number - operation.unanswered..<operation.number).allSatisfy { number in
      sent.view.refused.contains(number) == (ledger.effect(of: operation.author, number) == nil)
    }
    ledger.note(answer, to: operation)
    for block in answer.diff?.blocks ?? []
    where ledger.items(in: block.collection) != system.items(in: block.collection) {
      violations.insert(.diffs)
    }
    guard operation.lands, answer.diff?.isRedirected != true,
      let effect = ledger.effect(of: operation.author, operation.number)
    else { return }
    if case .refused = answer.verdict { return }
    let items = operation.items.compactMap { item in effect.put[item].map { (item: item, place: $0) } }
    let named = [operation.after, operation.before].compactMap { $0 }.compactMap {
      ledger.place(named: $0, by: operation)
    }
    let beside = runs(around: named, in: operation.collection)
    let run = ledger.join(items.map(\.place), of: operation.author, beside: named, in: operation.collection)
    let drop = Drop(
      author: operation.author, collection: operation.collection, view: sent.view, items: items, inFront: inFront,
      behind: behind, runsBeside: beside, run: run, isAsShown: isAsShown)
    drops.append(drop)
    checkOrder(drop)
  }

  private func places(
    _ names: [ModelOperation.Name], _ operation: ModelOperation
  ) -> [(item: Int, place: Int)] {
    names.compactMap { name in ledger.place(named: name, by: operation).map { (name.item, $0) } }
  }

  /// Returns the runs that have positions on both sides of one of these.
  private func runs(around named: [Int], in collection: Int) -> Set<Int> {
    let spans = ledger.spans(in: collection) { _ in true }
    let list = ledger.collections[collection]
    var around: Set<Int> = []
    for index in named.compactMap({ named in list.firstIndex { $0.id == named } }) {
      for (run, span) in spans where span.first < index && index < span.last { around.insert(run) }
    }
    return around
  }

  mutating func receive(_ index: Int) {
    guard !people[index].received.isEmpty else { return }
    let received = people[index].received.removeFirst()
    let author = people[index].author
    let isOwn = received.operation.author == author
    let isWatched = isOwn || !people[index].pendingDrops.isEmpty
    let before = isWatched ? system.shown(by: author) : []
    let refusedBefore = isWatched && !isOwn ? system.refused(by: author) : []
    let isExpected = isOwn && system.expects(received.answer, by: author)
    for sent in system.receive(received.message, by: author) { send(sent, by: index) }
    guard isWatched else { return }
    let after = system.shown(by: author)
    if isOwn {
      count(received, isExpected, isChanged: after != before, by: index)
    } else if let diff = received.answer.diff {
      // A drop that is shown as refused, or no longer, changes what is shown of the others too.
      noteFlipped(
        from: before, to: system.refused(by: author) == refusedBefore ? after : before, diff, by: index)
    }
  }

  /// Notes the pending drops that a diff of another's has put on another side of something that their author saw and that
  /// nobody has touched since.
  private mutating func noteFlipped(
    from before: [[Int]], to after: [[Int]], _ diff: ModelDiff, by index: Int
  ) {
    // How much of a block is accepted depends on what others put.
    guard settings.capacity == nil else { return }
    let touched = diff.taken + diff.blocks.flatMap(\.items)
    for number in people[index].pendingDrops.indices { people[index].pendingDrops[number].touched.formUnion(touched) }
    // Mostly nothing else moves.
    func others(_ items: [Int]) -> [Int] { items.filter { !touched.contains($0) } }
    guard before.map(others) != after.map(others) else { return }
    for number in people[index].pendingDrops.indices {
      let drop = people[index].pendingDrops[number]
      let (old, new) = (before[drop.operation.collection], after[drop.operation.collection])
      guard let item = drop.operation.items.first, let then = old.firstIndex(of: item),
        let now = new.firstIndex(of: item)
      else { continue }
      let isFlipped =
        drop.view.behind.contains {
          !drop.touched.contains($0.item) && old[then...].contains($0.item) && new[..<now].contains($0.item)
        }
        || drop.view.inFront.contains {
          !drop.touched.contains($0.item) && old[..<then].contains($0.item) && new[now...].contains($0.item)
        }
      if isFlipped { people[index].flipped.insert(drop.operation.number) }
    }
  }

  private mutating func count(_ received: Received, _ isExpected: Bool, isChanged: Bool, by index: Int) {
    let (number, verdict) = (received.operation.number, received.answer.verdict)
    if verdict == .retry { counts.retries += 1 }
    counts.ownAnswers += 1
    if !isExpected { counts.unexpected += 1 }
    let isRedirected = received.answer.diff?.isRedirected == true
    let isBehindOther = number <= people[index].surprisedAt
    var isRefused = false
    if case .refused = verdict { isRefused = true }
    if !isExpected || isRedirected || isRefused { people[index].surprisedAt = people[index].lastNumber }
    people[index].pendingDrops.removeAll { $0.operation.number == number }
    if people[index].flipped.remove(number) != nil, isExpected, !isRedirected, !isRefused, !isBehindOther {
      counts.flipped += 1
      violations.insert(.sides)
    }
    guard isChanged else { return }
    if !isExpected {
      counts.changingUnexpected += 1
    } else if isBehindOther {
      counts.changingBehindOther += 1
    } else {
      counts.changing += 1
      violations.insert(.prediction)
    }
  }
}
