import BaizeDriver
import BaizeLaboratory
import BaizeTable
import Testing

@testable import baize_lab

/// The journals on which a start is measured.
@Suite struct StartupMeasureTests {
  @Test func `a made journal has the requested number of diffs over all its tables`() throws {
    let folder = try TemporaryFolder()
    try Measure.build(folder.path("journal"), tables: 3, diffs: 100)
    let daemon = try ChildProcess.daemon(journal: folder.path("journal"), arguments: ["--create", "nobody"])
    defer { daemon.stop() }
    let revisions = try (0..<3).map {
      try Driver.readTable(Measure.startupTable($0), at: daemon.address).revision.rawValue
    }
    // A revision seats each player, and one has it leave.
    #expect(revisions.reduce(0, +) == 100 + 2 * 3 && revisions.allSatisfy { $0 > 20 }, "\(revisions)")
    #expect(throws: RunFailure.self) { try Driver.readTable(Measure.startupTable(3), at: daemon.address) }
  }
}
