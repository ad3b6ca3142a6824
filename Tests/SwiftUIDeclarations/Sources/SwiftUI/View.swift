// The pages are those of developer.apple.com/documentation, named in full below "SwiftUI".

@_exported public import CoreTransferable
@_exported public import Foundation
@_exported public import UniformTypeIdentifiers

/// Page `view`.
@MainActor @preconcurrency
public protocol View {
  /// Page `view/body-swift.associatedtype`.
  associatedtype Body: View
  /// Page `view/body-swift.property`.
  @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

/// A view that SwiftUI itself draws. Apple gives it the body `Never`; here it is its own, so that nothing ends a process.
public protocol Primitive: View where Body == Self {}

extension Primitive {
  public var body: Self { self }
}

/// Page `viewbuilder`.
@resultBuilder
public struct ViewBuilder {
  public static func buildExpression<Content>(_ content: Content) -> Content where Content: View { content }
  public static func buildBlock<each Content>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
  where repeat each Content: View { TupleView() }
  public static func buildBlock<Content>(_ content: Content) -> Content where Content: View { content }
  public static func buildIf<Content>(_ content: Content?) -> Content? where Content: View { content }
}

/// Page `tupleview`.
public struct TupleView<T>: Primitive {}

/// Page `view`, among the conforming types.
extension Optional: View, Primitive where Wrapped: View {}

/// Page `dynamicviewcontent`.
public protocol DynamicViewContent<Data>: View {
  associatedtype Data: Collection
  /// Page `dynamicviewcontent/data-swift.property`.
  var data: Data { get }
}

/// Page `foreach`.
public struct ForEach<Data, ID, Content> where Data: RandomAccessCollection, ID: Hashable {
  public var data: Data
}

extension ForEach: View, Primitive, DynamicViewContent where Content: View {
  /// Page `foreach/init(_:content:)`.
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where ID == Data.Element.ID, Data.Element: Identifiable { self.data = data }
}

/// Page `text`.
public struct Text: Primitive {
  /// Page `text/init(_:)`.
  public init<S>(_ content: S) where S: StringProtocol {}
}

/// Page `button`.
public struct Button<Label>: Primitive where Label: View {}

extension Button where Label == Text {
  /// Page `button/init(_:action:)`.
  public init<S>(_ title: S, action: @escaping @MainActor () -> Void) where S: StringProtocol {}
}

/// Page `hstack`.
public struct HStack<Content>: Primitive where Content: View {
  /// Page `hstack/init(alignment:spacing:content:)`, without its alignment.
  public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

/// Page `vstack`.
public struct VStack<Content>: Primitive where Content: View {
  /// Page `vstack/init(alignment:spacing:content:)`, without its alignment.
  public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

/// Page `list`.
public struct List<Content>: Primitive where Content: View {
  /// Page `list/init(content:)`.
  public init(@ViewBuilder content: () -> Content) {}
}

extension View {
  /// Page `view/disabled(_:)`.
  public nonisolated func disabled(_ disabled: Bool) -> some View { self }
  /// Page `view/opacity(_:)`.
  public nonisolated func opacity(_ opacity: Double) -> some View { self }
  /// Page `view/padding(_:)`.
  public nonisolated func padding(_ length: CGFloat) -> some View { self }
  /// Page `view/onappear(perform:)`.
  public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
  /// Page `view/task(priority:_:)`.
  public nonisolated func task(
    priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { self }
}
