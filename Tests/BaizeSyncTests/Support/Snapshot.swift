import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload

@testable import BaizeSync

enum Snapshot {
  /// Returns a state as a viewer receives it: divided into parts, encoded for the viewer, decoded and loaded.
  static func carried(
    _ state: TableState, epoch: Epoch, to seat: SeatNumber = .spectator, limits: SyncLimits = SyncLimits()
  ) throws -> TableState {
    let producer = SnapshotProducer(
      of: FrozenState(state), for: seat, epoch: epoch, lastSequence: .zero, limits: SharedLimits(limits))
    var reader = SnapshotReader()
    while true {
      var writer = FrameWriter()
      writer.frame(producer.next(), for: seat)
      let message = try writer.withUnsafeBytes { try ServerMessage(delivery: $0) }
      guard case .snapshot(let part) = message else { throw SimulatedTypes.Unknown() }
      if let loaded = try reader.add(part, of: state.type) { return loaded }
    }
  }
}
