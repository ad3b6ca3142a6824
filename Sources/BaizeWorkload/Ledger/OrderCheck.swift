package import BaizeTable
package import BaizeWire

/// The order of the messages that one client receives, over all its connections.
package struct OrderCheck {
  private var epoch = Epoch(rawValue: 0)
  package private(set) var revision = Revision.zero
  /// Whether the next diff must follow the revision.
  private var isFollowing = false
  /// Whether no revision that was received may be lost, not even with its epoch.
  private let isDurable: Bool

  package init(isDurable: Bool = false) { self.isDurable = isDurable }

  /// - Parameters:
  ///   - hello: The client's last hello, with the revision that it has.
  ///   - lost: The epochs that were lost before they were written.
  package mutating func note(
    _ welcome: Welcome, after hello: Hello?, without lost: Set<Epoch> = [], into faults: inout FaultList
  ) {
    if welcome.epoch < epoch, !lost.contains(epoch) {
      faults.note(.regressed, "a client at epoch \(epoch.rawValue) was welcomed to \(welcome.epoch.rawValue)")
    }
    isFollowing = welcome.tableType.isEmpty
    guard isFollowing, let hello else { return }
    epoch = welcome.epoch
    revision = hello.revision
  }

  package mutating func note(
    _ part: SnapshotPart, without lost: Set<Epoch> = [], into faults: inout FaultList
  ) {
    guard part.isComplete else { return }
    let isLate = part.epoch < epoch && !lost.contains(epoch)
    if isLate || (part.revision < revision && (isDurable || part.epoch == epoch)) {
      faults.note(
        .regressed,
        "a client at \(revision.rawValue) of epoch \(epoch.rawValue) got a snapshot of \(part.revision.rawValue) of epoch "
          + "\(part.epoch.rawValue)")
    }
    epoch = part.epoch
    revision = part.revision
    isFollowing = true
  }

  package mutating func note(_ diff: Diff, into faults: inout FaultList) {
    if !isFollowing || diff.revision != revision.next {
      faults.note(.gap, "revision \(diff.revision.rawValue) came to a client at \(revision.rawValue)")
    }
    revision = diff.revision
  }
}
