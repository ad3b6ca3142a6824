import TestSupport
import Testing

@testable import BaizeTable

/// F10: texts are equal if their bytes are, though Swift takes canonically equivalent ones for equal.
@Suite struct TextTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func `F10: values of all kinds are compared byte by byte`() {
    #expect(composed == decomposed && !composed.hasBytes(of: decomposed) && composed.hasBytes(of: "caf\u{E9}"))
    #expect(AttributeValue.text(composed) != .text(decomposed) && AttributeValue.text("1") != .number(1))
    #expect(Attribute(composed, 1) != Attribute(decomposed, 1) && Attribute(composed, 1) == Attribute(composed, 1))
    #expect(
      Representation(contentType: "text/\u{212A}", data: []) != Representation(contentType: "text/K", data: []))
    #expect(seat(composed) != seat(decomposed) && seat(composed) == seat(composed))
    #expect(Set([AttributeValue.text(composed), .text(decomposed)]).count == 2)
    #expect(Change.seats([seat(composed)]) != .seats([seat(decomposed)]))
  }

  @Test func `F10: a face has two attributes whose names are canonically equivalent`() {
    var face = Face(attributes: [Attribute(composed, 1), Attribute(decomposed, 2)])
    #expect(face[composed] == .number(1) && face[decomposed] == .number(2))
    face.set(Attribute(name: decomposed, value: nil))
    #expect(face[composed] == .number(1) && face[decomposed] == nil)
  }

  @Test func `F10: rules compare texts byte by byte`() {
    func isHeld(_ predicate: Predicate, by value: String) -> Bool {
      let state = TableState(type: Types.lists(["a"]))
      return state.holds(
        predicate, RuleContext(item: .face(Face(attributes: [Attribute("a", value)])), seat: SeatNumber(rawValue: 1)))
    }
    let term = Term.attribute(.item, "a")
    let group = ValueGroup(name: "group", groupOfValue: [.text(composed): "one", .text(decomposed): "two"])
    for (value, name) in [(composed, "one"), (decomposed, "two")] {
      #expect(isHeld(.compare(term, .equal, .constant(.text(composed))), by: value) == (name == "one"))
      #expect(isHeld(.oneOf(term, [.text(composed)]), by: value) == (name == "one"))
      #expect(isHeld(.compare(.group(group, term), .equal, .constant(.text(name))), by: value))
    }
    let types = ["text/K"]
    #expect("text/K".isAmong(types) && !"text/\u{212A}".isAmong(types))
  }

  @Test func `F10: the content types that a collection accepts are compared byte by byte`() {
    let accept = AcceptRule(operations: [.copy], inserts: true, contentTypes: ["text/K"])
    let type = TableType(
      name: "picky", document: "picky", seatsMax: 2, contention: .first,
      collections: [CollectionRules(id: "picky", kind: 0)], kinds: [CollectionKind(name: "picky", accept: accept)])
    for (contentType, isAccepted) in [("text/K", true), ("text/\u{212A}", false)] {
      var (table, author) = (Table(type: type, random: RandomSource(seed: 1)), TestAuthor())
      let item = NewItem(representations: [Representation(contentType: contentType, data: [])])
      author.ask(.insert([item], .end(of: CollectionHandle(rawValue: 1))), of: &table)
      #expect((table.state.itemCount == 1) == isAccepted, "\(contentType)")
    }
  }

  private func seat(_ name: String) -> Seat {
    Seat(number: SeatNumber(rawValue: 1), name: name, person: SessionID(rawValue: 1))
  }
}
