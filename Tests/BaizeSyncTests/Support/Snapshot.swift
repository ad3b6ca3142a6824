import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

enum Snapshot {
  /// Returns a state as a spectator receives it: divided into parts, encoded, decoded and loaded.
  static func carried(_ state: TableState, epoch: Epoch) throws -> TableState {
    var reader = SnapshotReader()
    var loaded: TableState?
    for part in parts(of: state, epoch: epoch) {
      var writer = FrameWriter()
      writer.frame(part, for: .spectator)
      let message = try writer.withUnsafeBytes { try ServerMessage(delivery: $0) }
      loaded = try reader.add(try #require(message.part), of: state.type)
    }
    return try #require(loaded)
  }

  static func parts(
    of state: TableState, for seat: SeatNumber = .spectator, epoch: Epoch = Epoch(rawValue: 1),
    limits: SyncLimits = SyncLimits()
  ) -> [SnapshotPart] {
    let producer = SnapshotProducer(
      of: FrozenState(state), for: seat, epoch: epoch, lastSequence: .zero, limits: SharedLimits(limits))
    var parts: [SnapshotPart] = []
    while !producer.isComplete { parts.append(producer.next()) }
    return parts
  }
}
