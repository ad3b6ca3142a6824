import Foundation
import TestSupport
import Testing

@testable import BaizeTable

/// `hashes.json`: the parts of the view hash (rules V1–V4; I1).
@Suite struct HashTests {
  struct Vectors: Decodable {
    let mixes: [Mix]
    let bytes: [Bytes]
    let faces: [FaceHash]
    let orders: [Order]
  }

  struct Mix: Decodable {
    let word: String
    let hash: String
  }

  struct Bytes: Decodable {
    let bytes: String
    let hash: String
  }

  struct FaceHash: Decodable {
    let says: String
    let item: Piece
    let hash: String
  }

  struct Order: Decodable {
    let items: [UInt64]
    let hash: String
  }

  /// An `Item` in the JSON mapping of Protocol Buffers.
  struct Piece: Decodable {
    let id: String
    let hidden: Bool?
    let pinned: Bool?
    let attributes: [NamedValue]?
    let representations: [Content]?

    struct NamedValue: Decodable {
      let name: String
      let number: String?
      let text: String?
    }

    struct Content: Decodable {
      let contentType: String
      let data: Data
    }

    var item: Item {
      Item(
        id: ItemID(rawValue: UInt64(id) ?? 0), collection: CollectionHandle(rawValue: 1),
        face: Face(
          attributes: (attributes ?? []).map { value in
            Attribute(
              name: value.name,
              value: value.text.map { .text($0) } ?? value.number.flatMap(Int64.init).map { .number($0) })
          },
          representations: (representations ?? []).map {
            Representation(contentType: $0.contentType, data: Array($0.data))
          }),
        visibility: hidden == true ? .nobody : .everyone, isPinned: pinned ?? false)
    }
  }

  private let vectors: Vectors

  init() throws { vectors = try Repository.decode("Protocol/vectors/hashes.json") }

  @Test func `V1: mix`() throws {
    #expect(!vectors.mixes.isEmpty)
    for vector in vectors.mixes {
      #expect(Self.hex(SplitMix64.mix(try #require(UInt64(vector.word, radix: 16)))) == vector.hash)
    }
  }

  @Test func `V2: byte hashes`() {
    #expect(!vectors.bytes.isEmpty)
    for vector in vectors.bytes {
      var hash = ByteHash()
      for byte in [UInt8](hex: vector.bytes) { hash.combine(byte) }
      #expect(Self.hex(hash.value) == vector.hash, "\(vector.bytes)")
    }
  }

  @Test func `V3: order hashes`() throws {
    #expect(!vectors.orders.isEmpty)
    for vector in vectors.orders {
      var state = try state(of: vector.items.map { Item(id: ItemID(rawValue: $0), collection: .init(rawValue: 1)) })
      #expect(Self.hex(state.forest.hash(state.collections[0].root)) == vector.hash, "\(vector.items)")
    }
  }

  @Test func `V4: face hashes`() throws {
    #expect(!vectors.faces.isEmpty)
    for vector in vectors.faces {
      // The sum of one item is its hash (V5).
      #expect(Self.hex(try state(of: [vector.item.item]).faceSum) == vector.hash, "\(vector.says)")
    }
  }

  private func state(of items: [Item]) throws -> TableState {
    let type = TableType(
      name: "open", collections: [CollectionRules(id: "items", kind: 0)],
      kinds: [CollectionKind(name: "open", faces: .each)])
    var loader = StateLoader(type: type)
    try loader.add(items)
    return loader.finish(revision: .zero, status: TableState.open, variables: [], seats: [])
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
