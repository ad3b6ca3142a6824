/// What a drop does with the items: SwiftUI's `DropOperation`. The raw values are the wire's.
public enum DropOperation: UInt32, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The drag ended without a drop.
  case cancel = 0
  /// The sources stay; new items with the same faces appear.
  case copy = 1
  case move = 2
  /// A reference to the sources appears. Not supported yet.
  case alias = 4
  case delete = 8
  /// The drop may not happen here, or not now.
  case forbidden = 16

  /// Several operations, as a source offers them.
  public struct Set: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt32

    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let copy = Set(.copy)
    public static let move = Set(.move)
    public static let alias = Set(.alias)
    public static let delete = Set(.delete)

    public init(_ operation: DropOperation) { self.init(rawValue: operation.rawValue) }
  }
}

/// The rules' verdict on a drop: SwiftUI's `DropConfiguration`.
public struct DropConfiguration: Hashable, Sendable {
  public var operation: DropOperation
  /// Where the drop lands, if elsewhere than asked.
  public var destination: Destination?
  /// How many of the items are taken, the first ones; `nil` for all.
  public var acceptedItemCount: Int?
  /// Why not, where `operation` is `.forbidden`.
  public var refusal: Refusal?

  public init(
    operation: DropOperation, destination: Destination? = nil, acceptedItemCount: Int? = nil, refusal: Refusal? = nil
  ) {
    self.operation = operation
    self.destination = destination
    self.acceptedItemCount = acceptedItemCount
    self.refusal = refusal
  }

  /// A drop that the rules forbid, with the reason.
  public static func forbidden(_ refusal: Refusal) -> DropConfiguration {
    DropConfiguration(operation: .forbidden, refusal: refusal)
  }
}
