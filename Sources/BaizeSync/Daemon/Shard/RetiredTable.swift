import Synchronization

/// What a table that is not needed any more has held.
public final class RetiredTable: Sendable {
  private let parts: Mutex<[any Sendable]>

  init(_ parts: any Sendable...) { self.parts = Mutex(parts) }

  /// Frees the memory now, on the caller's thread, whoever else refers to this object.
  public func free() { parts.withLock { $0 = [] } }
}
