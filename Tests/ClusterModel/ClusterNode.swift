/// A node: what it has in memory, and its sessions at the database.
struct ClusterNode: Hashable {
  enum Standing: Hashable {
    case notLoaded
    /// The turn of its new epoch is on its way.
    case loading
    case served
  }

  enum Raise: Hashable {
    case none
    case sent(lease: UInt8, from: UInt8)
    /// The connection was lost before the answer.
    case unknown(lease: UInt8, from: UInt8)
  }

  /// A turn that is sent and not published.
  struct Waiting: Hashable {
    var number: UInt8
    let change: Turn.Change
    let otherEpoch: UInt8
    /// Whether it is committed, but was answered with a warning.
    var isWarned = false
    /// What can be published once it is acknowledged: so many entries, under this epoch of the table.
    let count: Int
    let tableEpoch: UInt8
  }

  /// How often it was started before.
  var starts: UInt8 = 0
  /// Whether it holds its own lease, in which epoch, and the number of its last turn of this epoch.
  var isHolding = false
  var epoch: UInt8 = 0
  var lastNumber: UInt8 = 0
  var standing = Standing.notLoaded
  var tableEpoch: UInt8 = 0
  var contents = Contents()
  var waiting: [Waiting] = []
  /// The epoch to which it has raised the other lease, to take the table; zero for none.
  var taken: UInt8 = 0
  var raise = Raise.none
  var isReserving = false
  /// Whether it has to find out what became of its turns.
  var mustSettle = false
  var isCut = false
  var session: [Execution] = []
  /// The statements that a cut or a crash has left at the database, which carries them out in any case.
  var orphans: [Execution] = []
  /// What it remembers of a table that it had (``ClusterFaults/readBeforeRaise``).
  var remembered = Contents()

  init(starts: UInt8 = 0) { self.starts = starts }

  /// Who it is: another one after each start.
  func holder(_ index: Int) -> UInt8 { 1 + UInt8(index) * 4 + starts }

  subscript(session: Commit.Session) -> [Execution] {
    get { session == .current ? self.session : orphans }
    set { if session == .current { self.session = newValue } else { orphans = newValue } }
  }

  /// Forgets the table and all that is not acknowledged.
  mutating func forget() {
    if standing != .notLoaded { remembered = contents }
    (standing, tableEpoch, contents) = (.notLoaded, 0, Contents())
    waiting = []
    mustSettle = false
  }

  /// Its lease is another's.
  mutating func lose() {
    forget()
    isHolding = false
    taken = 0
  }

  mutating func send(_ change: Turn.Change, lease: UInt8, index: Int, otherEpoch: UInt8 = 0) {
    lastNumber += 1
    waiting.append(
      Waiting(number: lastNumber, change: change, otherEpoch: otherEpoch, count: contents.count, tableEpoch: tableEpoch)
    )
    queue(waiting[waiting.count - 1], lease: lease, index: index)
  }

  /// Sends a turn that waits.
  private mutating func queue(_ turn: Waiting, lease: UInt8, index: Int) {
    let base: UInt8 =
      switch turn.change {
      case .nothing: 0
      case .load(let epoch, _, _): epoch - 1
      case .operation, .drain: turn.tableEpoch
      }
    session.append(
      Execution(
        statement: .turn(
          Turn(
            lease: lease, epoch: epoch, holder: holder(index), number: turn.number, change: turn.change,
            otherEpoch: turn.otherEpoch, base: base))))
  }

  /// Sends what waits again, as the first turns of the next epoch.
  mutating func sendAgain(in epoch: UInt8, lease: UInt8, index: Int) {
    (self.epoch, lastNumber) = (epoch, 0)
    for place in waiting.indices {
      lastNumber += 1
      waiting[place].number = lastNumber
      waiting[place].isWarned = false
      queue(waiting[place], lease: lease, index: index)
    }
  }
}
