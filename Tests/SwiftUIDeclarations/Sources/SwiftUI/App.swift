// The pages are those of developer.apple.com/documentation, named in full below "SwiftUI" unless they say otherwise.

/// Page `app`.
@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  /// Page `app/body-swift.property`.
  @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
  /// Page `app/init()`.
  @MainActor @preconcurrency init()
}

extension App {
  /// Page `app/main()`.
  @MainActor @preconcurrency public static func main() {}
}

/// Page `scene`.
@MainActor @preconcurrency
public protocol Scene {}

/// Page `scenebuilder`.
@resultBuilder
public struct SceneBuilder {
  public static func buildBlock<Content>(_ content: Content) -> Content where Content: Scene { content }
}

/// Page `windowgroup`.
public struct WindowGroup<Content>: Scene where Content: View {
  /// Page `windowgroup/init(content:)`.
  public init(@ViewBuilder content: () -> Content) {}
}

/// Page `state`.
@propertyWrapper
public struct State<Value> {
  private let initial: Value
  /// Page `state/init(wrappedvalue:)`.
  public init(wrappedValue value: Value) { initial = value }
  /// Page `state/wrappedvalue`.
  public var wrappedValue: Value {
    get { initial }
    nonmutating set { _ = newValue }
  }
}

/// Page `environment`.
@propertyWrapper
public struct Environment<Value> {
  private let keyPath: KeyPath<EnvironmentValues, Value>
  /// Page `environment/init(_:)-8slkf`.
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
  /// Page `environment/wrappedvalue`.
  public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

/// Page `environmentvalues`.
public struct EnvironmentValues {
  /// Page `environmentvalues/undomanager`.
  public var undoManager: UndoManager? { nil }
}

/// Page `undomanager` of Foundation, which Linux lacks.
@MainActor
open class UndoManager {
  /// Page `undomanager/registerundo(withtarget:handler:)`.
  @MainActor @preconcurrency
  public func registerUndo<TargetType>(
    withTarget target: TargetType, handler: @escaping @MainActor (TargetType) -> Void
  ) where TargetType: AnyObject {}
}
