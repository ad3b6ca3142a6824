import BaizeSync
import BaizeWire

extension Driver {
  /// Submits nothing further, and waits for what is still to come. The operations that are not answered, or not delivered to
  /// every member of their table, are lost.
  ///
  /// A daemon answers a ping behind all that it has sent before: the first ping of a member comes behind the answers to its
  /// operations, and the second, sent when everyone has the first, behind the diffs of everyone's operations.
  package func settle() {
    submit(.none)
    if answers == nil {
      for _ in 0..<2 { try? ping() }
    } else {
      _ = try? run(for: "the relay's last answers") { missingCount == 0 }
    }
    noted.lost = missingCount
  }

  /// The number of operations that are not answered, and of diffs that others at the table have received.
  private var missingCount: UInt64 {
    guard answers == nil else {
      let submitted = members.reduce(counters.accepted + progress.taken.accepted) { $0 + $1.pendingCount }
      return UInt64(perTable) * submitted &- counters.deliveries &- progress.taken.deliveries
    }
    return tables.indices.reduce(0) { count, table in
      let present = members[table * perTable..<min((table + 1) * perTable, members.count)]
      let newest = present.reduce(0) { max($0, $1.revision) }
      return present.reduce(count) { min($0 &+ $1.pendingCount &+ min(newest &- $1.revision, 1 << 40), 1 << 50) }
    }
  }

  /// Compares everyone's copy with the daemon: that of a table's first member if it kept one, of others a snapshot.
  package func compare() -> LoadFaults {
    guard answers == nil else { return faults }
    for number in members.indices {
      let member = members[number]
      (seats[number].daemonHash, seats[number].ownHash, seats[number].isCompared) = (nil, nil, member.keepsCopy)
      guard let key = member.key, member.isLive else { continue }
      if member.keepsCopy {
        seats[number].ownHash = tables[Int(member.table)].replica?.confirmedHash()
      } else {
        connections.send(.snapshotRequest(why: "comparison after the run"), to: key)
      }
    }
    try? ping(wantHashes: true) { !members[$0].isLive || seats[$0].isCompared }
    for number in members.indices where members[number].isLive {
      if seats[number].ownHash == nil || seats[number].daemonHash != seats[number].ownHash { noted.diverged += 1 }
    }
    return faults
  }
}
