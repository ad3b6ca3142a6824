/// The defect of an operation that no table accepts: a part of it exceeds a limit of ``WireLimits``.
///
/// The daemon's decoder finds it in the received bytes, and a client in the operation that its app submits
/// (``TableOperation/Kind/defect``). Both ask ``init(_:_:)``, so that a client refuses what the daemon would refuse, with the
/// same reason and detail.
public struct OperationDefect: Hashable, Sendable {
  /// A part of an operation with a limit.
  public enum Part: Hashable, Sendable, CaseIterable {
    /// The attributes of one item.
    case attributes
    /// The name of an attribute.
    case attributeName
    /// The text of an attribute.
    case attributeText
    /// The representations of one item.
    case representations
    /// The content type of a representation.
    case contentType
    /// The name of an action.
    case action

    /// The maximum number of elements, or the maximum length in bytes of UTF-8.
    public var countMax: Int {
      switch self {
      case .attributes: WireLimits.itemAttributesMax
      case .attributeName: WireLimits.attributeNameBytesMax
      case .attributeText: WireLimits.attributeTextBytesMax
      case .representations: WireLimits.itemRepresentationsMax
      case .contentType: WireLimits.contentTypeBytesMax
      case .action: WireLimits.actionBytesMax
      }
    }
  }

  /// The part that exceeds its limit.
  public let part: Part
  /// Its number of elements as far as they were counted, or its length in bytes.
  public let count: Int

  /// Creates the defect of a part; `nil` if the part is within its limit.
  @inlinable public init?(_ part: Part, _ count: Int) {
    guard count > part.countMax else { return nil }
    self.part = part
    self.count = count
  }

  /// The refusal of the operation.
  public var refusal: Refusal {
    switch part {
    case .attributes: .tooManyAttributes
    case .representations: Refusal(.tableSize, detail: "an item has at most \(part.countMax) representations")
    case .attributeName: tooLong("the name of an attribute")
    case .attributeText: tooLong("the text of an attribute")
    case .contentType: tooLong("a content type")
    case .action: Refusal(.unknownAction, detail: "the name of an action has at most \(part.countMax) bytes")
    }
  }

  private func tooLong(_ text: String) -> Refusal {
    Refusal(.textTooLong, detail: "\(text) has \(count) bytes, at most \(part.countMax) are allowed")
  }
}

extension Refusal {
  static let tooManyAttributes = Refusal(
    .tableSize, detail: "an item has at most \(TableLimits.attributesPerItemMax) attributes")
}

extension TableOperation.Kind {
  /// The first defect in the order of the wire; `nil` if no part exceeds a limit.
  ///
  /// - Complexity: O(number of attributes and representations).
  public var defect: OperationDefect? {
    switch self {
    case .insert(let items, _):
      // The daemon reads one item more than it accepts.
      for item in items.prefix(TableLimits.itemsPerOperationMax + 1) {
        if let defect = item.face.attributes.defect ?? item.face.representations.defect { return defect }
      }
      return nil
    case .update(_, let attributes, let representations): return attributes.defect ?? representations.defect
    case .perform(let action, _, _): return OperationDefect(.action, action.utf8.count)
    case .invalid(let defect, _): return defect
    case .reorder, .remove, .undo, .unknown: return nil
    }
  }
}

extension [Attribute] {
  fileprivate var defect: OperationDefect? {
    for (index, attribute) in enumerated() {
      if let defect = OperationDefect(.attributes, index + 1) { return defect }
      if let defect = OperationDefect(.attributeName, attribute.name.utf8.count) { return defect }
      if case .text(let text)? = attribute.value, let defect = OperationDefect(.attributeText, text.utf8.count) {
        return defect
      }
    }
    return nil
  }
}

extension [Representation] {
  fileprivate var defect: OperationDefect? {
    for (index, representation) in enumerated() {
      if let defect = OperationDefect(.representations, index + 1) { return defect }
      if let defect = OperationDefect(.contentType, representation.contentType.utf8.count) { return defect }
    }
    return nil
  }
}
