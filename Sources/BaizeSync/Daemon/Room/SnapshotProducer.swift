import BaizeTable
import BaizeWire

/// A producer of a snapshot, part by part, from a copy of the state at its beginning. The table continues meanwhile.
final class SnapshotProducer {
  let revision: Revision
  /// `nil` once the snapshot is complete.
  private(set) var frozen: FrozenState?
  private let epoch: Epoch
  /// The receiver's last judged operation in this state.
  let lastSequence: SequenceNumber
  /// The seat whose view it is; `nil` for the journal, which stores everything.
  private let viewer: SeatNumber?
  private let limits: SyncLimits
  private var collection = 0
  private var offset = 0
  private var isFirst = true
  private(set) var isComplete = false

  /// - Parameters:
  ///   - viewer: The seat that receives it; `nil` for the journal.
  ///   - lastSequence: The receiver's last judged operation in this state.
  init(
    of frozen: FrozenState, for viewer: SeatNumber?, epoch: Epoch, lastSequence: SequenceNumber, limits: SyncLimits
  ) {
    self.frozen = frozen
    self.viewer = viewer
    self.epoch = epoch
    self.lastSequence = lastSequence
    self.limits = limits
    revision = frozen.state.revision
  }

  /// Returns the next part: as many items as its bounds allow. It must not be called after the last one.
  func next() -> SnapshotPart {
    var part = SnapshotPart(epoch: epoch, revision: revision)
    guard let state = frozen?.state else { preconditionFailure("a snapshot was continued behind its end") }
    if isFirst {
      part.isFirst = true
      part.collections = state.handles.map {
        CollectionSummary(
          handle: $0, id: state.rules(of: $0).id, count: UInt32(state.count(in: $0)),
          isEnabled: state.isEnabled($0))
      }
      part.status = state.status
      part.variables = state.variables
      part.seats = state.seats
      isFirst = false
    }
    fill(&part, from: state)
    if isComplete {
      part.isComplete = true
      part.lastSequence = lastSequence
      frozen = nil
    }
    return part
  }

  private func fill(_ part: inout SnapshotPart, from state: TableState) {
    let handles = state.handles
    var bytes = 0
    while collection < handles.count {
      let room = limits.tables.snapshotPartItemsMax - part.items.count
      guard room > 0, bytes < limits.tables.snapshotPartBytesMax else { return }
      guard viewer.map({ state.isVisible(handles[collection], to: $0) }) ?? true else {
        collection += 1
        continue
      }
      for item in state.items(in: handles[collection], from: offset, limit: min(room, 64)) {
        // A few items may fill a frame, so the bound is checked for each item.
        guard bytes < limits.tables.snapshotPartBytesMax else { return }
        part.items.append(item)
        // The length of a part must not depend on faces that its viewer may not see.
        bytes += (viewer.map(item.view) ?? item).frameBytesBound
        offset += 1
      }
      if offset >= state.count(in: handles[collection]) {
        collection += 1
        offset = 0
      }
    }
    isComplete = true
  }
}
