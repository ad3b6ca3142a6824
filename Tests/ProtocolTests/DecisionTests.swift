import TestSupport
import Testing

/// `decisions.json`: what the rules say to one operation (rules G3–G13, B1–B14; I5). The file is written by hand: a case and
/// its verdict stand only there.
@Suite struct DecisionTests {
  @Test func `the table makes every decision of the file`() throws {
    let vectors = try Repository.decode(DecisionVectors.path, as: DecisionVectors.self)
    #expect(vectors.cases.count > 100 && Set(vectors.cases.map(\.id)).count == vectors.cases.count)
    for decision in vectors.cases {
      var bench = try DecisionBench(decision)
      let verdict = bench.verdict()
      #expect(verdict == decision.verdict, "\(decision.id): \(decision.says)")
    }
  }

  /// A move conserves: no name is lost, none comes twice (I4).
  @Test func `accepted operations conserve items`() throws {
    let vectors = try Repository.decode(DecisionVectors.path, as: DecisionVectors.self)
    for decision in vectors.cases {
      guard let accepted = decision.verdict.accepted, accepted.operation == "move" else { continue }
      var after = decision.collections.mapValues { $0.map(\.name) }
      after.merge(accepted.after) { $1 }
      // Under a new id it is the same item.
      let names = after.values.joined().map { String($0.drop { $0 == "+" }) }
      #expect(
        names.sorted() == decision.collections.values.joined().map(\.name).sorted(), "\(decision.id)")
    }
  }
}
