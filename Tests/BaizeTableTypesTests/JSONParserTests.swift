import BaizeTable
import Testing

@testable import BaizeTableTypes

@Suite struct JSONParserTests {
  @Test(arguments: [
    ("null", "null"), (" true ", "true"), ("false", "false"), ("0", "0"), ("-0", "0"), ("-12", "-12"),
    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775808", "~9223372036854775808"), ("1.0", "1"), ("1.50e1", "15"), ("-120e-1", "-12"),
    ("1E+3", "1000"), ("0.000e99", "0"), ("0.5", "~0.5"), ("1e-1", "~1e-1"), ("1e400", "~1e400"),
    ("1e99999999999999999999", "~1e99999999999999999999"), ("-1e-9223372036854775808", "~-1e-9223372036854775808"),
    ("9007199254740993.0", "9007199254740993"), (#""""#, "''"),
    (#""a\"\\\/\b\f\n\r\tz""#, "'a\"\\/\u{8}\u{C}\n\r\tz'"),
    (#""\u00e9\uD83C\udca1\u0000""#, "'\u{E9}\u{1F0A1}\0'"), ("\"é🂡\"", "'é🂡'"), ("[]", "[]"), ("{}", "{}"),
    ("[1,[2],{}]", "[1,[2],{}]"), (#"{"a":1,"":{"b":[]}}"#, "{a:1,:{b:[]}}"), ("\t\r\n[ 1 , 2 ]\n", "[1,2]"),
  ])
  func `values of every sort in RFC 8259 are read`(text: String, shown: String) throws {
    #expect(try show(JSONParser.parse(Array(text.utf8))) == shown)
  }

  @Test(arguments: [
    ("", "1:1"), ("  ", "1:3"), ("nul", "1:1"), ("True", "1:1"), ("'a'", "1:1"), ("+1", "1:1"), (".5", "1:1"),
    ("-", "1:2"), ("01", "1:2"), ("1.", "1:3"), ("1.e1", "1:3"), ("1e", "1:3"), ("1e+", "1:4"), ("0x1", "1:2"),
    ("1 2", "1:3"), ("[", "1:2"), ("[1", "1:3"), ("[1,", "1:4"), ("[1,]", "1:4"), ("[1 2]", "1:4"), ("]", "1:1"),
    ("{", "1:2"), ("{1:2}", "1:2"), (#"{"a"}"#, "1:5"), (#"{"a":}"#, "1:6"), (#"{"a":1,}"#, "1:8"),
    (#"{"a":1 "b":2}"#, "1:8"), ("\"", "1:2"), ("\"a\nb\"", "1:3"), ("\"\u{0}\"", "1:2"), (#""\x""#, "1:2"),
    (#""\u12""#, "1:6"), (#""\u12G4""#, "1:6"), (#""\uD800""#, "1:2"), (#""\uD800\u0041""#, "1:2"),
    (#""\uDC00""#, "1:2"), (#""\"#, "1:3"), ("\u{FEFF}{}", "1:1"), ("// a\n1", "1:1"), ("[\n  1,\n  é\n]", "3:3"),
    ("[\"éé\", x]", "1:8"), ("\r\n x", "2:2"), ("NaN", "1:1"), ("[1]\u{0}", "1:4"),
  ])
  func `what is no JSON is refused at its position`(text: String, position: String) {
    let mistakes = mistakes(in: Array(text.utf8))
    #expect(mistakes.map(\.position.description) == [position])
    #expect(mistakes.allSatisfy { $0.kind == .syntax })
  }

  @Test(
    arguments: [
      ([0xFF], "1:1"), ([0x22, 0xC3, 0x22], "1:2"), ([0x0A, 0x22, 0xC3, 0xA9, 0xED, 0xA0, 0x80, 0x22], "2:3"),
      ([0x22, 0xC0, 0x80, 0x22], "1:2"), ([0x31, 0xF4, 0x90, 0x80, 0x80], "1:2"), ([0x31, 0x20, 0xE2, 0x82], "1:3"),
    ] as [([UInt8], String)])
  func `invalid UTF-8 is refused`(bytes: [UInt8], position: String) {
    #expect(mistakes(in: bytes).map(\.description) == ["the document is not UTF-8 from here on (\(position))"])
  }

  @Test func `positions are recorded`() throws {
    let json = try JSONParser.parse(Array("{ \"é\": [1,\n   {\"b\": \"x\"}] }".utf8))
    let outer = try #require(Node.top(json).members.first)
    #expect(outer.keyPosition.description == "1:3" && outer.value.position.description == "1:8")
    guard case .array(let elements) = outer.value.content else {
      Issue.record("no list")
      return
    }
    #expect(elements.map(\.position.description) == ["1:9", "2:4"])
    let inner = try #require(Node.top(elements[1]).members.first)
    #expect(inner.keyPosition.description == "2:5" && inner.value.position.description == "2:10")
  }

  @Test func `all duplicate keys are found`() {
    let text = #"{"a": 1, "b": [{"c": 1, "c": 2}],"# + "\n" + #" "a": {"a": 1, "d": 0, "\u0064": 2}, "a": 3}"#
    #expect(
      mistakes(in: Array(text.utf8)).map(\.description) == [
        "b[0].c: the key 'c' appears twice (1:25)", "a: the key 'a' appears twice (2:2)",
        "a.d: the key 'd' appears twice (2:24)", "a: the key 'a' appears twice (2:38)",
      ])
  }

  @Test func `duplicate keys before an error are found`() {
    let mistakes = mistakes(in: Array(#"{"a": 1, "a": [2, x]}"#.utf8))
    #expect(mistakes.map(\.position.description) == ["1:10", "1:19"])
    #expect(mistakes.last?.path == "a[1]")
  }

  @Test func `depth and size are limited`() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(mistakes(in: nested(DocumentLimits.depthMax)) == [])
    #expect(mistakes(in: nested(DocumentLimits.depthMax + 1)).map(\.position.column) == [DocumentLimits.depthMax + 1])
    #expect(mistakes(in: nested(100_000)).count == 1)
    let full = Array(repeating: UInt8(ascii: " "), count: DocumentLimits.documentBytesMax - 1) + [UInt8(ascii: "1")]
    #expect(mistakes(in: full) == [])
    #expect(mistakes(in: full + [UInt8(ascii: "1")]).count == 1)
  }

  private func mistakes(in bytes: [UInt8]) -> [Mistake] {
    do throws(DocumentMistakes) {
      _ = try JSONParser.parse(bytes)
      return []
    } catch {
      return error.mistakes
    }
  }

  /// Returns the tree without positions. A number that is not whole has a `~` in front.
  private func show(_ json: JSON) -> String {
    switch json.content {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let text): "~\(text)"
    case .text(let text): "'\(text)'"
    case .array(let elements): "[\(elements.map(show).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\($0.key):\(show($0.value))" }.joined(separator: ","))}"
    }
  }
}
