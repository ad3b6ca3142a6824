import Testing

/// `decisions.json`: what the rules say to one operation (rules G3–G12, B1–B7; I5).
@Suite struct DecisionTests {
  @Test func `the file equals the generated vectors`() throws {
    var vectors = DecisionVectors(description: DecisionVectors.head, cases: [])
    for entry in DecisionCatalogue.entries {
      var decision = entry.decision
      var bench = try DecisionBench(decision)
      decision.verdict = bench.verdict()
      #expect(decision.verdict.short == entry.expected, "\(decision.id): \(decision.says)")
      vectors.cases.append(decision)
    }
    let texts = try VectorFile.texts(DecisionVectors.name, vectors)
    #expect(texts.found == texts.expected, "BAIZE_WRITE_VECTORS=1 swift test --filter ProtocolTests writes it")
  }

  @Test func `the table makes every decision of the file`() throws {
    let vectors = try VectorFile.read(DecisionVectors.name, as: DecisionVectors.self)
    #expect(vectors.cases.count > 100 && Set(vectors.cases.map(\.id)).count == vectors.cases.count)
    for decision in vectors.cases {
      var bench = try DecisionBench(decision)
      #expect(bench.verdict() == decision.verdict, "\(decision.id): \(decision.says)")
    }
  }

  /// A move conserves: no name is lost, none comes twice (I4).
  @Test func `accepted operations conserve items`() throws {
    let vectors = try VectorFile.read(DecisionVectors.name, as: DecisionVectors.self)
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

extension Decision.Verdict {
  var short: String { refused?.reason ?? accepted?.operation ?? (unchanged == true ? "unchanged" : "?") }
}
