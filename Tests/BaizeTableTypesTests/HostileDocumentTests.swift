import BaizeTable
import TestSupport
import Testing

@testable import BaizeTableTypes

/// Any bytes give a table type or a list of mistakes, without a trap and with bounded work.
@Suite(.dedicatedThreads) struct HostileDocumentTests {
  static let documents = TableTypeLibrary.bundled.documents.map { Array($0.text.utf8) }

  @Test(arguments: documents) func `every truncation is refused`(document: [UInt8]) throws {
    let end = try #require(document.lastIndex(of: UInt8(ascii: "}")))
    // Without the long form each tenth, of which the first is another each time.
    let (first, step) = LongForm.isOn ? (0, 1) : (Int.random(in: 0..<10), 10)
    for length in Array(stride(from: first, through: end, by: step)) + [0, end] {
      #expect(throws: DocumentMistakes.self, "\(length) bytes") { try JSONParser.parse(Array(document.prefix(length))) }
    }
    _ = try JSONParser.parse(Array(document.prefix(end + 1)))
  }

  @Test(arguments: ["[", #"{"":"#, #"{"baize":1,"name":"a","collections":[{"kind":"#])
  func `nesting is bounded`(level: String) {
    let found = mistakes(in: Array(String(repeating: level, count: 100_000 / level.utf8.count).utf8))
    #expect(found.map(\.message) == ["values are nested more than 64 deep"])
    #expect(!mistakes(in: Array(String(repeating: level, count: 100_000).utf8)).isEmpty)
  }

  /// Each is aimed at a loop that could be quadratic.
  @Test(arguments: [
    (#"{"baize":1,"name":"a","collections":["#, #"{"kind":"a"},"#, #"{"kind":"a"}]}"#),
    (#"{"baize":1,"name":"a","collections":[{"kind":"a","ids":["#, #""b","#, #""b"]}]}"#),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"abcdef","family":{"from":0,"to":1023},"accept":{"from":["#,
      #""abcdeg/99","#, #""a"]}}]}"#
    ),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"a","family":{"from":0,"to":1023},"accept":{"from":["#,
      #""a","#, #""a"]}}]}"#
    ),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"a","family":{"from":0,"to":1023}}],"endings":["#,
      #"{"when":{"less":[0,{"count":{"of":["a","a","a"]}}]},"status":"a"},"#, #"{"when":true,"status":"a"}]}"#
    ),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"a","family":{"from":0,"to":1023}}],"setUp":["#,
      #"{"numbered":{"count":0,"attribute":"a"},"deal":[{"to":"a","count":0}]},"#,
      #"{"numbered":{"count":0,"attribute":"a"},"deal":[{"to":"a","count":0}]}]}"#
    ),
    (
      #"{"baize":1,"name":"a","options":{"a":{"type":"choice","default":1,"values":["#, "1.000e0,",
      #"1]}},"collections":[{"kind":"a"}]}"#
    ),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"a"}],"setUp":[{"product":{"a":["#, "1,",
      #"1],"b":{"from":1,"to":1000000}},"deal":[{"to":"a"}]}]}"#
    ),
    (
      #"{"baize":1,"name":"a","collections":[{"kind":"a"}],"setUp":["#,
      #"{"product":{"a":{"from":1,"to":1000000},"b":{"from":1,"to":1000000}},"deal":[{"to":"a"}]},"#,
      #"{"numbered":{"count":0,"attribute":"a"},"deal":[{"to":"a"}]}]}"#
    ),
    (
      #"{"baize":1,"name":"a","checks":{"a":[{"require":{"any":["#, #"{"equal":[1,1]},"#,
      #"true]},"else":"A"}]},"collections":[{"kind":"a","lift":{"each":[{"use":"a"}]}}]}"#
    ),
  ])
  func `documents of the maximum size are checked`(head: String, middle: String, tail: String) {
    let room = DocumentLimits.documentBytesMax - head.utf8.count - tail.utf8.count
    let text = head + String(repeating: middle, count: room / middle.utf8.count) + tail
    let mistakes = mistakes(in: Array(text.utf8))
    #expect(mistakes.count <= DocumentLimits.mistakesMax && mistakes.allSatisfy { $0.kind != .syntax })
  }

  @Test func `many uses of a long check are refused before they are expanded`() {
    let check = Array(repeating: #"{"require":true,"else":"A"}"#, count: 4_000).joined(separator: ",")
    func document(uses: Int) -> [UInt8] {
      let use = Array(repeating: #"{"use":"a"}"#, count: uses).joined(separator: ",")
      let head = #"{"baize":1,"name":"a","checks":{"a":[\#(check)]},"#
      return Array((head + #""collections":[{"kind":"a","lift":{"each":[\#(use)]}}]}"#).utf8)
    }
    #expect(mistakes(in: document(uses: 0)).isEmpty)
    #expect(
      mistakes(in: document(uses: 10_000)).map { "\($0.path): \($0.message)" } == [
        "collections[0].lift.each[0]: this exceeds the limit of 4096 conditions"
      ])
  }

  /// The values of options are tried one by one: what that takes grows with their sum, and has a bound.
  @Test func `the values of many options are checked in few steps`() {
    func document(options: Int, choices: Int, rest: String = "") -> [UInt8] {
      let values = (0..<choices).map { "\($0)" }.joined(separator: ",")
      let list = (0..<options).map { #""o\#($0)":{"type":"choice","values":[\#(values)],"default":0}"# }
      let head = #"{"baize":1,"name":"a","options":{\#(list.joined(separator: ","))},"#
      return Array((head + #""collections":[{"kind":"a"}]\#(rest)}"#).utf8)
    }
    func steps(_ document: [UInt8]) -> Int {
      let check = Checker.check(document)
      #expect(check.mistakes.isEmpty)
      return check.steps
    }
    let (one, most) = (steps(document(options: 1, choices: 64)), steps(document(options: 32, choices: 64)))
    #expect(most <= 40 * one, "\(one), \(most)")
    let used = (0..<32).map { #"{"require":{"less":[-1,{"option":"o\#($0)"}]},"else":"A"}"# }.joined(separator: ",")
    let filler = String(repeating: #"{"require":true,"else":"A"},"#, count: 4_000)
    let rest = #","checks":{"a":[\#(filler)\#(used)]}"#
    let long = Checker.check(document(options: 32, choices: 64, rest: rest))
    #expect(long.mistakes.isEmpty && long.steps <= 2 * DocumentLimits.checkStepsMax, "\(long.steps)")
    #expect(long.triedValues < long.values && long.values == 32 * 63)
  }

  private func mistakes(in bytes: [UInt8]) -> [Mistake] {
    do throws(DocumentMistakes) {
      _ = try TableTypeDocument(parsing: bytes)
      return []
    } catch {
      return error.mistakes
    }
  }
}
