import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

enum Snapshot {
  /// A state as a viewer gets it: made into parts, encoded for it, decoded and loaded.
  static func carried(
    _ state: TableState, epoch: Epoch, to seat: SeatNumber = .spectator, limits: SyncLimits = SyncLimits()
  ) throws -> TableState {
    let producer = SnapshotProducer(of: state, for: seat, epoch: epoch, lastSequence: .zero, limits: limits)
    var loader = StateLoader(type: state.type)
    var first: SnapshotPart?
    while true {
      var writer = FrameWriter()
      let range = writer.frame(producer.next(), for: seat)
      let message = try writer.withUnsafeBytes { bytes in
        let body = try FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax).next(in: bytes) ?? range
        return try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[body]))
      }
      guard case .snapshot(let part) = message else { throw SimulatedTypes.Unknown() }
      if part.isFirst { first = part }
      try loader.add(part)
      guard part.isComplete else { continue }
      return loader.finish(
        revision: part.revision, status: first?.status ?? "", variables: first?.variables ?? [],
        seats: first?.seats ?? [])
    }
  }
}
