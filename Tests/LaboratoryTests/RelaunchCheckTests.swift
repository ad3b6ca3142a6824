import BaizeLaboratory
import BaizeWorkload
import Foundation
import Testing

@testable import baize_lab

/// The check of `baize-lab relaunch` finds each kind of fault (I3).
@Suite struct RelaunchCheckTests {
  private static let joined = RelaunchEvent.joined(session: 5, seat: 1)

  private func faults(_ events: [RelaunchEvent], marks: [Int: Int]) throws -> Int {
    let folder = try TemporaryFolder()
    let log = try RelaunchLog(folder: folder.url.path)
    for event in events { try log.append(event) }
    let read = try RelaunchLog.events(of: folder.url.path)
    #expect(read == events)
    var check = RelaunchCheck()
    check.note(read, of: 0)
    check.compare(
      with: marks.flatMap { number, count in
        Array(repeating: MarkedItem(mark: Mark(player: 0, number: number), value: nil), count: count)
      })
    return check.faults.total
  }

  @Test func `I3: what is as it must be is no fault`() throws {
    let events: [RelaunchEvent] = [
      Self.joined, .intends(1, .insert), .intends(2, .refused), .saved(2), .intends(3, .insert), Self.joined,
      .answered(1, .accepted), .answered(2, .refused), .forgotten(3), .intends(4, .insert), .declined(4),
    ]
    #expect(try faults(events, marks: [1: 1]) == 0)
  }

  @Test(
    arguments: [
      ([.intends(1, .insert), .answered(1, .accepted)], [1: 2]),
      ([.intends(1, .insert), .answered(1, .accepted)], [:]),
      ([.intends(1, .insert)], [1: 1]), ([.intends(1, .insert), .forgotten(1)], [1: 1]),
      ([.intends(1, .insert), .saved(1), .forgotten(1)], [:]), ([.intends(1, .insert), .answered(1, .unknown)], [:]),
      ([.intends(1, .insert), .answered(1, .refused), .answered(1, .accepted)], [1: 1]),
      ([.joined(session: 6, seat: 1)], [:]), ([.joined(session: 5, seat: 2)], [:]), ([], [7: 1]),
      ([.intends(1, .refused), .answered(1, .accepted)], [:]),
    ] as [([RelaunchEvent], [Int: Int])])
  func `I3: every fault is found`(events: [RelaunchEvent], marks: [Int: Int]) throws {
    #expect(try faults([Self.joined] + events, marks: marks) > 0)
  }
}
