public import BaizeTable

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of an item for other apps and tables:
///
/// ```json
/// {
///   "attributes": { "rank": 6, "suit": "hearts" },
///   "representations": [ { "contentType": "text/plain", "data": "NuKZpQ==" } ]
/// }
/// ```
///
/// Without its attributes or its representations a key is absent. The data of representations is in Base64.
extension Face: Codable {
  private enum Key: String, CodingKey { case attributes, representations }

  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    var attributes: [Attribute] = []
    if object.contains(.attributes) {
      let values = try object.nestedContainer(keyedBy: AttributeName.self, forKey: .attributes)
      for name in values.allKeys {
        let number = try? values.decode(Int64.self, forKey: name)
        let value = try number.map(AttributeValue.number) ?? .text(values.decode(String.self, forKey: name))
        attributes.append(Attribute(name: name.stringValue, value: value))
      }
    }
    self.init(
      attributes: attributes,
      representations: try object.decodeIfPresent([Representation].self, forKey: .representations) ?? [])
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    if !attributes.isEmpty {
      var values = object.nestedContainer(keyedBy: AttributeName.self, forKey: .attributes)
      for attribute in attributes {
        switch attribute.value {
        case .number(let number)?: try values.encode(number, forKey: AttributeName(attribute.name))
        case .text(let text)?: try values.encode(text, forKey: AttributeName(attribute.name))
        case nil: break
        }
      }
    }
    if !representations.isEmpty { try object.encode(representations, forKey: .representations) }
  }

  private struct AttributeName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }
}

extension Representation: Codable {
  private enum Key: String, CodingKey { case contentType, data }

  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    self.init(
      contentType: try object.decode(String.self, forKey: .contentType),
      data: [UInt8](try object.decode(Data.self, forKey: .data)))
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(contentType, forKey: .contentType)
    try object.encode(Data(data), forKey: .data)
  }
}

/// An item as its face: what it is at its table, its id, its collection and who may see it, stays there. A decoded item is
/// at no table and has no id. A hidden face has no content.
extension Item: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(id: .none, collection: CollectionHandle(rawValue: 0), face: try Face(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws { try face.encode(to: encoder) }
}

extension Face {
  /// A text for apps that know nothing else about the item: its representation of the type `text/plain`, or else its
  /// attribute `title`; `nil` if it has neither.
  public var plainText: String? {
    if let text = representations.first(where: { $0.contentType == "text/plain" }) {
      return String(decoding: text.data, as: UTF8.self)
    }
    guard case .text(let title)? = self["title"] else { return nil }
    return title
  }
}
