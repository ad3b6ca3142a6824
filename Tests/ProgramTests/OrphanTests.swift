import BaizeLaboratory
import Foundation
import TestSupport
import Testing

/// A program that starts others leaves none of them behind.
@Suite(.serialized, .hangGuard) struct OrphanTests {
  @Test func `the processes of a killed measurement end with it`() async throws {
    let name = "ORPHAN_TEST"
    let value = UUID().uuidString
    let load = try ChildProcess(
      "baize-lab", ["relaunch", "--kills", "100000", "--clients", "1", "--seed", "1"], environment: [name: value])
    // The measurement, the shell that guards its children, the daemon, and the client, which is killed and started again.
    while Self.processes(with: "\(name)=\(value)") < 4 { try await Task.sleep(for: .milliseconds(50)) }
    load.send(SIGKILL)
    while Self.processes(with: "\(name)=\(value)") > 0 { try await Task.sleep(for: .milliseconds(50)) }
    #expect(load.waitForExit() == -SIGKILL)
  }

  /// Returns the number of processes that have a variable in their environment.
  private static func processes(with variable: String) -> Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.filter { name in
      guard Int(name) != nil, let text = try? String(contentsOfFile: "/proc/\(name)/environ", encoding: .utf8) else {
        return false
      }
      return text.split(separator: "\0").contains(Substring(variable))
    }.count
  }
}
