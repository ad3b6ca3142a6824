import BaizeClient
import BaizeSync
import BaizeTable
import TestSupport
import Testing

/// `move(fromOffsets:toOffset:)` has the meaning of SwiftUI's, which is that of the standard library's `moveSubranges`.
@Suite(.hangGuard)
struct MoveTests {
  @Test(arguments: [(2, "ABcefglmDHIJKNO"), (15, "ABDHIJKNOcefglm")])
  func `moves give the results of SwiftUI's documentation`(destination: Int, expected: String) async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list")
    let letters = "ABcDefgHIJKlmNO"
    let inserted = client.insert(
      letters.map { NewItem(attributes: [Attribute("letter", String($0))]) }, in: "items")
    _ = try await inserted.outcome
    let lower = letters.enumerated().filter { $0.element.isLowercase }.map(\.offset)
    let moved = client.move(fromOffsets: lower, toOffset: destination, in: "items")
    #expect(text(client) == expected)
    _ = try await moved.outcome
    #expect(text(client) == expected)
  }

  private func text(_ client: TableClient) -> String {
    client.items(in: "items").map { item in
      if case .text(let letter) = item.face["letter"] { letter } else { "?" }
    }.joined()
  }

  @Test func `every move of up to five items equals moveSubranges`() async throws {
    let daemon = try TestDaemon()
    for count in 1...5 {
      let client = try await daemon.join("t\(count)", as: "list?items=\(count)")
      for subset in 0..<(1 << count) {
        for destination in 0...count {
          let sources = RangeSet((0..<count).filter { subset >> $0 & 1 == 1 }.map { $0..<$0 + 1 })
          var expected = client.itemIDs(in: "items")
          expected.moveSubranges(sources, to: destination)
          let submission = client.move(fromOffsets: sources, toOffset: destination, in: "items")
          #expect(client.itemIDs(in: "items") == expected)
          if subset == 0 {
            #expect(submission.refusal?.reason == .emptySources)
          } else {
            _ = try await submission.outcome
            #expect(client.itemIDs(in: "items") == expected)
          }
        }
      }
    }
  }

  @Test func `offsets out of range are refused`() async throws {
    let daemon = try TestDaemon()
    let client = try await daemon.join("t", as: "list?items=3")
    #expect(client.move(fromOffsets: [3], toOffset: 0, in: "items").refusal?.reason == .unknownItem)
    #expect(client.move(fromOffsets: [-1], toOffset: 0, in: "items").refusal?.reason == .unknownItem)
    #expect(client.move(fromOffsets: [0], toOffset: 4, in: "items").refusal?.reason == .unknownItem)
    #expect(client.move(fromOffsets: [0], toOffset: -1, in: "items").refusal?.reason == .unknownItem)
    #expect(client.move(fromOffsets: [.max], toOffset: 0, in: "items").refusal != nil)
    #expect(client.move(fromOffsets: [0], toOffset: 0, in: "nowhere").refusal?.reason == .unknownCollection)
  }
}
