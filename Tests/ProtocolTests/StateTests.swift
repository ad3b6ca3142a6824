import BaizeTableTypes
import Foundation
import TestSupport
import Testing

/// `states.json`: snapshots, diffs and the view hash (rules S1–S2, D1–D11, V1–V7; I1).
@Suite struct StateTests {
  @Test func `the file equals the generated vectors`() throws {
    let text = try StateCatalogue.make().text()
    if ProcessInfo.processInfo.environment["BAIZE_WRITE_VECTORS"] == "1" {
      try Data(text.utf8).write(to: Repository.root.appending(path: StateVectors.path))
    }
    let isSame = try Repository.text(StateVectors.path) == text
    #expect(isSame, "BAIZE_WRITE_VECTORS=1 swift test --filter ProtocolTests writes it")
  }

  @Test func `every step of the file leads to its hash`() throws {
    let vectors = try Repository.decode(StateVectors.path, as: StateVectors.self)
    #expect(vectors.cases.count >= 9)
    for vector in vectors.cases {
      var recorder = StateRecorder(type: try vector.type.map { try TableTypeLibrary.bundled.tableType($0) })
      for step in vector.steps {
        #expect(recorder.run(step.says, step.messages) == step, "\(vector.id): \(step.says)")
      }
    }
  }

  /// The vectors would not hold an implementation to much if these were not in them.
  @Test func `the games contain the cases they are for`() throws {
    let vectors = try Repository.decode(StateVectors.path, as: StateVectors.self)
    #expect(Set(vectors.cases.flatMap(\.steps).map(\.hash)).count > 100)
    for vector in vectors.cases.prefix(3) { #expect(vector.steps.count > 20, "\(vector.id)") }
  }

  /// A hash that misses something cannot hold anyone to it: two views that differ in one thing have two hashes.
  @Test func `every part of a view affects its hash`() throws {
    let steps = try #require(StateCatalogue.make().cases.first { $0.says == "a change of every kind" }).steps
    for (before, after) in zip(steps, steps.dropFirst()) where after.says != "nothing that this client may see" {
      #expect((before.hash == after.hash) == after.says.hasPrefix("a count"), "\(after.says)")
    }
  }
}
