import BaizeLaboratory
import Foundation
import TestSupport
import Testing

/// Backups of a daemon under load, with the real programs.
@Suite(.serialized, .hangGuard) struct BackupTests {
  /// I7: a backup taken under load is a journal in which every table's history is consistent, and a daemon continues from it.
  @Test func `a backup taken under load is consistent, and a daemon starts with it`() async throws {
    let folder = try TemporaryFolder()
    let daemon = try ChildProcess.daemon(journal: folder.path("journal"), arguments: ["--allow-seeds"])
    let load = try ChildProcess(
      "baize-load",
      [
        "run", "--connect", "\(daemon.address)", "--tables", "16", "--players", "2", "--type", "kanban?cards=20",
        "--window",
        "4",
        "--seconds", "4", "--seed", "1",
      ])
    var backups = 0
    while load.isRunning, backups < 3 {
      try await Task.sleep(for: .milliseconds(20))
      // It prints a line a second, the first when all its tables are there.
      guard load.output.count(where: { $0 == "\n" }) > backups else { continue }
      backups += 1
      let backup = try ChildProcess("baized", ["backup", folder.path("journal"), folder.path("copy\(backups)")])
      #expect(try await Self.exit(of: backup) == 0, "\(backup.errors)")
    }
    #expect(try await Self.exit(of: load) == 0, "\(load.output.suffix(1_000)) \(load.errors)")
    #expect(daemon.stop() == 0)
    #expect(backups > 0)
    for number in 1...backups {
      let replay = try ChildProcess("baized", ["replay", folder.path("copy\(number)")])
      #expect(try await Self.exit(of: replay) == 0, "\(replay.errors)")
      #expect(replay.output.contains(" consistent\n") && replay.output.split(separator: "\n").count > 16)
    }
    let restored = try ChildProcess.daemon(journal: folder.path("copy\(backups)"))
    #expect(restored.stop() == 0)
  }

  /// Waits for a program's end without blocking a thread.
  private static func exit(of program: ChildProcess) async throws -> Int32 {
    while program.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    return program.waitForExit()
  }
}
