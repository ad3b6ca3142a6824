/// A state of two nodes and a database, with its standby.
///
/// A turn's statement takes its snapshot in one step, and locks, looks again at the rows that it updates, and commits in another one.
/// What a cut or a crash leaves at the database is carried out all the same. Nobody looks at a clock: a node may take the other one for
/// dead whenever it likes, and one that is stopped is one that takes no step. People may ask any node for any operation that it does
/// not have, at any time, as clients do whose answer was lost.
///
/// There is one table, and a node has one lease. Left out are what several tables in one turn, three nodes, relays, answers that sessions
/// remember, snapshots and retention, and failover to a standby that is behind would add.
package struct ClusterState: Hashable {
  /// What must never be.
  package enum Violation: String, Hashable, Sendable {
    case divergence = "I14: one revision of one epoch has two contents"
    case loss = "I7: what was published is not in what is published under a later epoch"
    case doubling = "I3: an operation has its effect twice"
    case repetition = "an epoch of a table is handed out twice"
  }

  /// What was published under an epoch of the table.
  struct Published: Hashable {
    var least = 0
    var most = 0
    var contents = Contents()
  }

  var database = Database()
  /// `nil` without a standby.
  var standby: Database?
  /// What the standby has not received.
  var commits: [Commit] = []
  var nodes = Pair(first: ClusterNode(), second: ClusterNode())
  /// By the table's epoch; `nil` where nothing was published.
  var published: [Published?] = Array(repeating: nil, count: Int(Database.epochsMax))
  var left: Left
  package var violation: Violation?

  /// How often something may happen yet.
  struct Left: Hashable {
    var cuts, refusals, crashes, cancels, failovers, drains, suspicions, purges: UInt8
  }

  /// Both nodes hold their leases, and the first one serves the table, unless there is none yet.
  init(_ bounds: ClusterBounds) {
    left = Left(
      cuts: bounds.cuts, refusals: bounds.refusals, crashes: bounds.crashes, cancels: bounds.cancels,
      failovers: bounds.failovers, drains: bounds.drains, suspicions: bounds.suspicions, purges: bounds.purges)
    for index in 0..<(bounds.haveOneName ? 1 : 2) {
      nodes[index].isHolding = true
      nodes[index].epoch = 1
      database.leases[index].holder = nodes[index].holder(index)
    }
    if !bounds.isNew {
      (database.owner, database.tableEpoch) = (0, 1)
      (nodes[0].standing, nodes[0].tableEpoch) = (.served, 1)
      published[1] = Published()
    }
    if bounds.hasStandby { standby = database }
  }

  // MARK: Publishing

  /// Shows the first entries of a table to its members, and compares them with all that was shown.
  mutating func publish(_ contents: Contents, _ count: Int, under epoch: UInt8) {
    for place in 0..<count where contents.prefix(place).contains(contents.entries[place]) {
      violation = .doubling
      return
    }
    for (other, shown) in published.enumerated() {
      guard let shown else { continue }
      let common = other < epoch ? shown.most : other > epoch ? count : min(count, shown.most)
      let isLost = other < epoch ? count < shown.most : other > epoch && shown.least < count
      if isLost || contents.prefix(common) != shown.contents.prefix(common) {
        violation = other == epoch ? .divergence : .loss
        return
      }
    }
    guard var shown = published[Int(epoch)] else {
      published[Int(epoch)] = Published(least: count, most: count, contents: contents.prefix(count))
      return
    }
    shown.least = min(shown.least, count)
    if count > shown.most { (shown.most, shown.contents) = (count, contents.prefix(count)) }
    published[Int(epoch)] = shown
  }

  /// Publishes what a node has sent up to a turn that is acknowledged.
  mutating func settle(_ index: Int, through number: UInt8) {
    for turn in nodes[index].waiting where turn.number <= number {
      switch turn.change {
      case .operation: publish(nodes[index].contents, turn.count, under: turn.tableEpoch)
      case .load:
        publish(nodes[index].contents, turn.count, under: turn.tableEpoch)
        nodes[index].standing = .served
      case .nothing, .drain: break
      }
    }
    nodes[index].waiting.removeAll { $0.number <= number }
  }

  // MARK: Comparing

  /// Sets what cannot matter any more to one value.
  mutating func canonicalize(_ faults: ClusterFaults) {
    for index in 0...1 {
      if !faults.contains(.readBeforeRaise) { nodes[index].remembered = Contents() }
      if !nodes[index].isHolding { (nodes[index].epoch, nodes[index].lastNumber) = (0, 0) }
    }
    guard !faults.contains(.noFence) else { return }
    for lease in 0...1 {
      let epoch = min(database.leases[lease].epoch, standby?.leases[lease].epoch ?? .max)
      // A node that was cut off still asks for the last turn of the epoch before.
      for former in 0..<Int(epoch - 1) {
        database.leases[lease].lastTurns[former] = 0
        standby?.leases[lease].lastTurns[former] = 0
      }
    }
  }

  /// Whether a node serves the table, and can write.
  func isServing(_ index: Int, _ lease: UInt8) -> Bool {
    let node = nodes[index]
    return node.isHolding && node.standing == .served && node.waiting.isEmpty && !node.isCut && database.owner == lease
      && database.leases[Int(lease)].epoch == node.epoch && database.leases[Int(lease)].holder == node.holder(index)
  }

  /// Whether a node has settled its turns.
  func isSettled(_ index: Int) -> Bool {
    let node = nodes[index]
    return node.isHolding && node.waiting.isEmpty && !node.isCut && !node.mustSettle
  }
}
