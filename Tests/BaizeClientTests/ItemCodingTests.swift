import BaizeClient
import BaizeTable
import Foundation
import Testing

@Suite struct ItemCodingTests {
  private static func json(_ item: Item) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(item), as: UTF8.self)
  }

  @Test func `an item's content passes through JSON, and nothing else of it`() throws {
    let face = Face(
      attributes: [Attribute("rank", .min), Attribute("suit", "♥"), Attribute("", "empty name")],
      representations: [
        Representation(contentType: "text/plain", data: Array("6♥".utf8)),
        Representation(contentType: "application/octet-stream", data: [0, 255]),
      ])
    let item = Item(id: ItemID(rawValue: 7), collection: CollectionHandle(rawValue: 3), face: face, isPinned: true)
    let text = try Self.json(item)
    #expect(
      text == """
        {"attributes":{"":"empty name","rank":-9223372036854775808,"suit":"♥"},"representations":\
        [{"contentType":"text/plain","data":"NuKZpQ=="},{"contentType":"application/octet-stream","data":"AP8="}]}
        """)
    let decoded = try JSONDecoder().decode(Item.self, from: Data(text.utf8))
    #expect(decoded.face == face && decoded.id == .none && !decoded.isPinned)
    #expect(try Self.json(Item(id: item.id, collection: item.collection)) == "{}", "a hidden face has no content")
    #expect(try JSONDecoder().decode(Item.self, from: Data("{}".utf8)).face == Face())
  }

  @Test(arguments: [
    "[]", "3", "{\"attributes\":{\"a\":[]}}", "{\"attributes\":{\"a\":1.5}}", "{\"representations\":[{}]}",
    "{\"representations\":[{\"contentType\":\"a\",\"data\":\"§\"}]}", "{\"attributes\":{\"a\":null}}",
  ]) func `other documents are errors`(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Item.self, from: Data(text.utf8)) }
  }

  @Test func `plain text is the representation of that type, or the title`() {
    let plain = Representation(contentType: "text/plain", data: Array("words".utf8))
    #expect(Face(attributes: [Attribute("title", "a")], representations: [plain]).plainText == "words")
    #expect(Face(attributes: [Attribute("title", "a")]).plainText == "a")
    #expect(Face(attributes: [Attribute("title", 1)]).plainText == nil && Face().plainText == nil)
  }
}
