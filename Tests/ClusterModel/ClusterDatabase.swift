/// Two things, one for each node or lease.
struct Pair<Element> {
  var first: Element
  var second: Element

  subscript(index: Int) -> Element {
    get { index == 0 ? first : second }
    set { if index == 0 { first = newValue } else { second = newValue } }
  }
}

extension Pair: Equatable where Element: Equatable {}
extension Pair: Hashable where Element: Hashable {}

/// What became of a table: its first contents and operations, in their order.
struct Contents: Hashable {
  /// Zero where there is nothing yet.
  var entries = SIMD4<UInt8>()
  static let countMax = 3

  var count: Int { (0..<Self.countMax).first { entries[$0] == 0 } ?? Self.countMax }

  func contains(_ entry: UInt8) -> Bool { (0..<Self.countMax).contains { entries[$0] == entry } }

  /// Returns the first entries.
  func prefix(_ count: Int) -> Contents {
    var contents = self
    for place in count..<Self.countMax { contents.entries[place] = 0 }
    return contents
  }
}

/// The rows that the protocol is about: two leases with their turns, and one table.
struct Database: Hashable {
  struct Lease: Hashable {
    var epoch: UInt8 = 1
    /// Who raised it to this epoch.
    var holder: UInt8 = 0
    /// The last turn of each epoch.
    var lastTurns = SIMD8<UInt8>()
    /// Whether the rows of the turns before the present epoch's last one were deleted.
    var isPurged = false
  }

  static let epochsMax: UInt8 = 7

  var leases = Pair(first: Lease(), second: Lease())
  /// The lease that the table is at; `nil` if its name is free.
  var owner: UInt8?
  var tableEpoch: UInt8 = 0
  var log = Contents()
}

/// A turn of a node: one statement, all of it or nothing.
struct Turn: Hashable {
  enum Change: Hashable {
    case nothing
    /// An operation, and its place in the log.
    case operation(UInt8, at: UInt8)
    /// The table in a new epoch, with its first contents if it has none; `from` is the lease it is taken from, if that is another one.
    case load(epoch: UInt8, first: UInt8, from: UInt8?)
    case drain(to: UInt8)
  }

  var lease: UInt8
  var epoch: UInt8
  var holder: UInt8
  var number: UInt8
  var change: Change
  /// For a turn that takes a table, the epoch to which its node has raised the other lease.
  var otherEpoch: UInt8 = 0
  /// The table's epoch on which it builds.
  var base: UInt8
}

enum Statement: Hashable {
  case raise(lease: UInt8, from: UInt8, holder: UInt8)
  case turn(Turn)
  case reserve(lease: UInt8, epoch: UInt8, holder: UInt8)
}

/// A statement on a session, as far as it has come.
struct Execution: Hashable {
  enum Answer: Hashable {
    case done
    /// Committed, and not on the standby.
    case warned
    /// Its conditions did not hold: nothing was written.
    case notHeld
    case refused
  }

  enum Stage: Hashable {
    case queued
    /// It has its snapshot: whether the turn before was there, and the table as the turn builds on it.
    case begun(hasPrevious: Bool, isOwn: Bool)
    /// It waits for the standby.
    case committing
    case answered(Answer)
  }

  let statement: Statement
  var stage = Stage.queued

  var isAnswered: Bool { if case .answered = stage { true } else { false } }
}

/// A commit that the standby has not received yet, in their order.
struct Commit: Hashable {
  let node: Int
  /// Whether the session of the node waits for it, or one that a cut or a crash has left.
  var session: Session?
  let statement: Statement

  enum Session: Hashable {
    case current
    case orphaned
  }
}

extension Database {
  /// Carries out a statement whose conditions hold.
  mutating func apply(_ statement: Statement) {
    switch statement {
    case .raise(let lease, let from, let holder):
      leases[Int(lease)].epoch = from + 1
      leases[Int(lease)].holder = holder
      leases[Int(lease)].isPurged = false
    case .reserve(let lease, _, _): owner = lease
    case .turn(let turn):
      let epoch = Int(turn.epoch)
      leases[Int(turn.lease)].lastTurns[epoch] = max(leases[Int(turn.lease)].lastTurns[epoch], turn.number)
      switch turn.change {
      case .nothing: break
      case .operation(let operation, let place): log.entries[Int(place)] = operation
      case .load(let epoch, let first, _):
        owner = turn.lease
        tableEpoch = epoch
        if first != 0 { log.entries[0] = first }
      case .drain(let lease): owner = lease
      }
    }
  }

  /// Returns what a turn sees in its snapshot.
  func begin(_ turn: Turn, _ faults: ClusterFaults) -> Execution.Stage {
    let lease = leases[Int(turn.lease)]
    let last = lease.lastTurns[Int(turn.epoch)]
    let hasPrevious = lease.isPurged ? last + 1 == turn.number || last == turn.number : last + 1 >= turn.number
    return .begun(hasPrevious: hasPrevious, isOwn: owner == turn.lease && isBase(turn.base, faults))
  }

  private func isBase(_ epoch: UInt8, _ faults: ClusterFaults) -> Bool {
    faults.contains(.noTableEpoch) || tableEpoch == epoch
  }

  private func isHeld(_ lease: UInt8, _ epoch: UInt8, _ holder: UInt8, _ faults: ClusterFaults) -> Bool {
    let row = leases[Int(lease)]
    return row.epoch == epoch && (faults.contains(.noHolder) || row.holder == holder)
  }

  /// Returns the answer to a statement that has its locks; `nil` if it may commit.
  func refusal(of execution: Execution, _ faults: ClusterFaults) -> Execution.Answer? {
    switch execution.statement {
    case .raise(let lease, let from, _): return leases[Int(lease)].epoch == from ? nil : .notHeld
    case .reserve(let lease, let epoch, let holder):
      return isHeld(lease, epoch, holder, faults) && owner == nil ? nil : .notHeld
    case .turn(let turn):
      guard case .begun(let hasPrevious, let wasOwn) = execution.stage else { return .notHeld }
      let row = leases[Int(turn.lease)]
      let last = row.lastTurns[Int(turn.epoch)]
      guard hasPrevious, last < turn.number || (row.isPurged && turn.number < last) else { return .notHeld }
      if !faults.contains(.noFence) {
        guard isHeld(turn.lease, turn.epoch, turn.holder, faults) else { return .notHeld }
        if turn.otherEpoch > 0, !faults.contains(.takeUnderOneLease) {
          guard isHeld(1 - turn.lease, turn.otherEpoch, turn.holder, faults) else { return .notHeld }
        }
      }
      switch turn.change {
      case .nothing: return nil
      // The row of the table is not locked: what the snapshot had counts.
      case .operation(_, let place): return !wasOwn ? .notHeld : log.entries[Int(place)] == 0 ? nil : .refused
      case .load(_, _, let from): return owner == from ?? turn.lease && isBase(turn.base, faults) ? nil : .notHeld
      case .drain: return owner == turn.lease && isBase(turn.base, faults) ? nil : .notHeld
      }
    }
  }

  /// Whether a statement hands out an epoch of the table that was handed out before.
  func repeatsEpoch(_ statement: Statement) -> Bool {
    if case .turn(let turn) = statement, case .load(let epoch, _, _) = turn.change {
      epoch <= tableEpoch
    } else {
      false
    }
  }
}

extension Statement {
  /// The leases whose rows it locks for sharing, as bits, and the one whose row it updates.
  private func locks(_ faults: ClusterFaults) -> (shared: UInt8, exclusive: UInt8) {
    switch self {
    case .raise(let lease, _, _): (0, 1 << lease)
    case .reserve(let lease, _, _): (1 << lease, 0)
    case .turn(let turn): (faults.contains(.noFence) ? 0 : turn.otherEpoch > 0 ? 3 : 1 << turn.lease, 0)
    }
  }

  private var updatesTable: Bool {
    switch self {
    case .raise: false
    case .reserve: true
    case .turn(let turn):
      switch turn.change {
      case .load, .drain: true
      case .nothing, .operation: false
      }
    }
  }

  /// Returns whether it has to wait for another one, which is committed and not released yet.
  func waits(for other: Statement, _ faults: ClusterFaults) -> Bool {
    let (one, two) = (locks(faults), other.locks(faults))
    if one.exclusive & (two.shared | two.exclusive) != 0 || two.exclusive & one.shared != 0 { return true }
    if updatesTable, other.updatesTable { return true }
    guard case .turn(let turn) = self, case .turn(let earlier) = other else { return false }
    if (turn.lease, turn.epoch, turn.number) == (earlier.lease, earlier.epoch, earlier.number) { return true }
    guard case .operation(_, let place) = turn.change, case .operation(_, place) = earlier.change else { return false }
    return true
  }
}
