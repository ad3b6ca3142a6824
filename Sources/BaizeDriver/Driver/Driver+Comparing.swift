import BaizeSync
import BaizeWire

extension Driver {
  /// Submits nothing further, and waits until every operation is answered and delivered to every member of its table.
  ///
  /// Those that are not are counted as lost.
  package func settle() {
    submit(.none)
    // Nothing more comes to a member without a connection.
    _ = try? run(seconds: Double(HangGuard.seconds), for: "the last answers") { missingCount { $0.key != nil } == 0 }
    noted.lost &+= missingCount { _ in true }
  }

  /// Returns the number of operations that are not answered, and of diffs that others at the table have received.
  private func missingCount(_ isCounted: (DriverMember) -> Bool) -> UInt64 {
    guard answers == nil else {
      let submitted = members.reduce(counters.accepted + progress.taken.accepted) { $0 + $1.pendingCount }
      return UInt64(perTable) * submitted &- counters.deliveries &- progress.taken.deliveries
    }
    return tables.indices.reduce(0) { count, table in
      let present = members[table * perTable..<min((table + 1) * perTable, members.count)]
      let newest = present.reduce(0) { max($0, $1.revision) }
      return present.lazy.filter(isCounted).reduce(count) { $0 &+ $1.pendingCount &+ (newest &- $1.revision) }
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
    sendPings(wantHashes: true)
    _ = try? run(seconds: Double(HangGuard.seconds), for: "the comparison") {
      members.indices.allSatisfy { !members[$0].isLive || (seats[$0].isAnswered && seats[$0].isCompared) }
    }
    for number in members.indices where members[number].isLive {
      if seats[number].ownHash == nil || seats[number].daemonHash != seats[number].ownHash { noted.diverged += 1 }
    }
    return faults
  }
}
