import BaizeClient
import BaizeTable
import Foundation
import Testing

/// Codable values as faces: what rules and clients in other languages read, and back.
@Suite struct FaceCodingTests {
  struct Card: Codable, Hashable {
    enum Priority: String, Codable { case low, high }
    struct Size: Codable, Hashable {
      var width: Int
      var height: Double
    }

    var title = "Buy milk"
    var points = 3
    var weight = 2.5
    var isDone = false
    var priority = Priority.high
    var due: Date? = Date(timeIntervalSince1970: 1_700_000_000.123)
    var owner: UUID? = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var tags: Set<String> = ["b", "a", "ä"]
    var size: Size? = Size(width: 4, height: 0.5)
    var votes: [String: Int] = ["z": 1, "é": 2, "a": -3]
    var icon = Data([1, 2, 255])
    var price = Decimal(string: "12.50") ?? 0
  }

  @Test func `a value becomes the attributes of the documented mapping`() throws {
    let face = try Face(encoding: Card())
    let shown = face.attributes.map { attribute in
      switch attribute.value {
      case .number(let number)?: "\(attribute.name)=\(number)"
      case .text(let text)?: "\(attribute.name)='\(text)'"
      case nil: attribute.name
      }
    }
    #expect(
      shown == [
        "due=1700000000123", "icon='AQL/'", "isDone='false'", "owner='E621E1F8-C36C-495A-93FC-0C247A3E6E5F'",
        "points=3", "price='12.5'", "priority='high'", #"size='{"height":0.5,"width":4}'"#,
        #"tags='["a","b","ä"]'"#, "title='Buy milk'", #"votes='{"a":-3,"z":1,"é":2}'"#, "weight='2.5'",
      ])
    #expect(face.representations.isEmpty)
    #expect(try face.decoded(as: Card.self) == Card())
  }

  @Test func `nil is no attribute, and an empty text is one`() throws {
    struct Note: Codable, Hashable {
      var text: String
      var author: String?
      var lines: [String]
    }
    let note = Note(text: "", author: nil, lines: [])
    let face = try Face(encoding: note)
    #expect(face.attributes == [Attribute("lines", "[]"), Attribute("text", "")])
    #expect(try face.decoded(as: Note.self) == note)
  }

  @Test func `values without fields are one attribute`() throws {
    #expect(try Face(encoding: "tea").attributes == [Attribute("value", "tea")])
    #expect(try Face(encoding: [1, 2]).attributes == [Attribute("value", "[1,2]")])
    #expect(try Face(encoding: 7).decoded(as: Int.self) == 7)
    let date = Date(timeIntervalSince1970: 5)
    #expect(try Face(encoding: date).decoded(as: Date.self) == date)
    #expect(try Face(encoding: [date]).decoded(as: [Date].self) == [date])
    #expect(try Face(encoding: [Int: String]()).attributes.isEmpty)
  }

  /// The same value has the same bytes, in whatever order a hash table holds it.
  @Test func `the encoding is canonical`() throws {
    struct Bag: Codable { var names: Set<String>, pairs: [[Int]: Bool], kinds: Set<[String]> }
    let names = (0..<40).map { "n\($0)" }
    let faces = try (0..<8).map { turn in
      let order = names[turn...] + names[..<turn]
      return try Face(
        encoding: Bag(
          names: Set(order), pairs: Dictionary(uniqueKeysWithValues: order.indices.map { ([$0 % 40], true) }),
          kinds: Set(order.map { [$0] })))
    }
    #expect(Set(faces).count == 1)
    let read = try faces[0].decoded(as: Bag.self)
    #expect(read.names == Set(names) && read.pairs.count == 40 && read.kinds.count == 40)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (1, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
    (123_456_789_012_345_683_968, "123456789012345680000"), (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"),
    (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    (1e16, "10000000000000000"),
    (9_007_199_254_740_992, "9007199254740992"), (1234.5678, "1234.5678"),
  ])
  func `real numbers are written as ECMAScript writes them`(number: Double, text: String) throws {
    let face = try Face(encoding: number)
    #expect(face["value"] == .text(text))
    #expect(try face.decoded(as: Double.self) == number)
  }

  @Test func `single precision has its own shortest digits`() throws {
    #expect(try Face(encoding: Float(0.1))["value"] == .text("0.1"))
    #expect(try Face(encoding: [Float(0.1), 16777216])["value"] == .text("[0.1,16777216]"))
  }

  @Test func `nested texts are escaped as in RFC 8785`() throws {
    let text = "\u{8}\t\n\u{C}\r\u{1F}\"\\/ä😀\u{7F}"
    #expect(
      try Face(encoding: [text])["value"] == .text(#"["\b\t\n\f\r\u001f\"\\/ä😀"# + "\u{7F}\"]"))
    #expect(try Face(encoding: [text]).decoded(as: [String].self) == [text])
    // Keys ascend by UTF-16: U+FF3D is behind the surrogates of U+1F600.
    #expect(try Face(encoding: [["］": 1, "😀": 2]])["value"] == .text(#"[{"😀":2,"］":1}]"#))
  }

  // MARK: Errors name the field

  struct Field<Value: Codable & Sendable>: Codable, Sendable { var field: Value }

  private func problem(_ value: some Encodable) -> String? {
    do throws(ItemCodingError) {
      _ = try Face(encoding: value)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `limits are exact, and errors name the field and the limit`() {
    let longest = String(repeating: "é", count: 8_192)
    #expect(problem(Field(field: longest)) == nil)
    #expect(problem(Field(field: longest + "x")) == "field: the text has 16385 bytes; at most 16384 are allowed")
    #expect(problem(Field(field: [longest])) == "field: the text has 16388 bytes; at most 16384 are allowed")
    #expect(problem(Field(field: UInt64.max)) == "field: 18446744073709551615 is not a number of the field's type")
    #expect(problem(Field(field: Double.nan)) == "field: nan is not a number of the field's type")
    #expect(problem(Field(field: [1, .infinity])) == "field[1]: inf is not a number of the field's type")
    #expect(problem(Field(field: Date.distantFuture)) == nil)
    #expect(
      problem(Field(field: Date(timeIntervalSince1970: 1e300)))?.hasPrefix("field: ") == true)
    #expect(problem(["": 1]) == "the item: the field's name is empty")
    let name = String(repeating: "n", count: 65)
    #expect(problem([name: 1]) == "\(name): the field's name has 65 bytes; at most 64 are allowed")
    let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("f\($0)", 1) })
    #expect(problem(many) == "the item: the value has 65 fields; at most 64 are allowed")
    let large = Dictionary(uniqueKeysWithValues: (0..<17).map { ("f\($0)", longest) })
    #expect(problem(large)?.hasPrefix("the item: the item has 278") == true)
  }

  @Test func `values nested too deep are refused, not followed`() {
    final class Deep: Codable {
      var inner: Deep?
      init(_ depth: Int) { inner = depth > 0 ? Deep(depth - 1) : nil }
    }
    #expect(problem(Deep(40)) == nil)
    #expect(problem(Deep(2_000))?.contains("nested more than 64 deep") == true)
  }

  private func problem<Value: Decodable>(_ type: Value.Type, _ attributes: Attribute...) -> String? {
    do throws(ItemCodingError) {
      _ = try Face(attributes: attributes).decoded(as: type)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `what does not fit is an error with the field`() {
    #expect(problem(Field<Int>.self) == "field: the item has no such attribute")
    #expect(problem(Field<Int>.self, Attribute("field", "3")) == "field: expected a number, found a text")
    #expect(problem(Field<String>.self, Attribute("field", 3)) == "field: expected a text, found a number")
    #expect(problem(Field<Int8>.self, Attribute("field", 128)) == "field: 128 is not a number of the field's type")
    #expect(problem(Field<Bool>.self, Attribute("field", "yes")) == "field: expected a boolean, found a text")
    #expect(
      problem(Field<[Int]>.self, Attribute("field", "[1")) == "field: expected a list as JSON, found another text")
    #expect(problem(Field<[Int]>.self, Attribute("field", "[1,\"x\"]")) == "field[1]: expected a number, found a text")
    #expect(problem(Field<Card.Priority>.self, Attribute("field", "urgent"))?.hasPrefix("field: ") == true)
    #expect(
      problem(Field<[[Int]]>.self, Attribute("field", String(repeating: "[", count: 10_000)))
        == "field: expected a list as JSON, found another text")
    #expect(
      problem(Field<[String: Int]>.self, Attribute("field", #"{"\u001b[2J":"x"}"#))
        == #"field.\u{1b}[2J: expected a number, found a text"#)
    // A number serves where a real one is expected, and attributes that the type does not name are ignored.
    #expect(problem(Field<Double>.self, Attribute("field", 3), Attribute("other", "x")) == nil)
  }

  @Test func `representations come along`() throws {
    struct Song: Codable, RepresentedItem {
      var title: String
      var representations: [Representation] { [Representation(contentType: "text/plain", data: Array(title.utf8))] }
    }
    let face = try Face(encoding: Song(title: "Nocturne"))
    #expect(face.attributes == [Attribute("title", "Nocturne")])
    #expect(face.representations == [Representation(contentType: "text/plain", data: Array("Nocturne".utf8))])
  }

  @Test func `classes keep their parent's fields apart`() throws {
    class Base: Codable {
      var name: String
      init(name: String) { self.name = name }
    }
    final class Derived: Base {
      var count = 1
      enum CodingKeys: String, CodingKey { case count }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
        try super.encode(to: container.superEncoder())
      }
      init() { super.init(name: "b") }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = try container.decode(Int.self, forKey: .count)
        try super.init(from: container.superDecoder())
      }
    }
    let face = try Face(encoding: Derived())
    #expect(face.attributes == [Attribute("count", 1), Attribute("super", #"{"name":"b"}"#)])
    #expect(try face.decoded(as: Derived.self).name == "b")
  }
}
