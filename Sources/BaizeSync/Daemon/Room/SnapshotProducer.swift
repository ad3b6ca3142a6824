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
  private let limits: SharedLimits
  /// The speed at which its receiver takes it.
  var pace = LoadingPace()
  /// The index, in the state's list, of the collection that is next.
  private var collection = 0
  private var offset = 0
  /// Whether a part has the summary of the present collection already, if an item opens it.
  private var isDescribed = false
  /// An upper bound of the size of a summary in a frame.
  private static let summaryBytesMax = 128
  private var isFirst = true
  private(set) var isComplete = false

  /// - Parameters:
  ///   - viewer: The seat that receives it; `nil` for the journal.
  ///   - lastSequence: The receiver's last judged operation in this state.
  init(
    of frozen: FrozenState, for viewer: SeatNumber?, epoch: Epoch, lastSequence: SequenceNumber, limits: SharedLimits
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
    guard let frozen else { preconditionFailure("a snapshot was continued behind its end") }
    let (state, handles) = (frozen.state, frozen.handles)
    if isFirst {
      part.isFirst = true
      // Those of the table type: an opened one comes with its first item.
      part.collections = state.type.collections.indices.map { index in
        state.summary(of: CollectionHandle(rawValue: UInt32(index + 1)))
      }
      part.status = state.status
      part.variables = state.variables
      part.seats = state.seats
      isFirst = false
    }
    fill(&part, from: state, handles)
    if isComplete {
      part.isComplete = true
      part.lastSequence = lastSequence
      self.frozen = nil
    }
    return part
  }

  private func fill(_ part: inout SnapshotPart, from state: TableState, _ handles: [CollectionHandle]) {
    let limits = limits.value
    var (bytes, described) = (0, 0)
    while collection < handles.count {
      let room = limits.tables.snapshotPartItemsMax - part.items.count - described
      guard room > 0, bytes < limits.tables.snapshotPartBytesMax else { return }
      guard viewer.map({ state.isVisible(handles[collection], to: $0) }) ?? true else {
        collection += 1
        continue
      }
      if offset == 0, state.opener(of: handles[collection]) != .none, !isDescribed {
        part.collections.append(state.summary(of: handles[collection]))
        (described, isDescribed) = (described + 1, true)
        bytes += Self.summaryBytesMax
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
        isDescribed = false
      }
    }
    isComplete = true
  }
}

extension TableState {
  fileprivate func summary(of handle: CollectionHandle) -> CollectionSummary {
    CollectionSummary(
      handle: handle, id: rules(of: handle).id, count: UInt32(count(in: handle)), isEnabled: isEnabled(handle),
      item: opener(of: handle))
  }
}
