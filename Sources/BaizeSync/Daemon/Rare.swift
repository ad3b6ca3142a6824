/// An optional value that is mostly `nil`, and takes one word then: a value is in memory of its own.
@propertyWrapper struct Rare<Value: Sendable>: Sendable {
  /// At most one.
  private var values: [Value] = []

  init() {}

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  var wrappedValue: Value? {
    @inline(__always) get { values.isEmpty ? nil : values[0] }
    set {
      guard let newValue else {
        if isPresent { values = [] }
        return
      }
      if isPresent { values[0] = newValue } else { values = [newValue] }
    }
  }

  var projectedValue: Self { @inline(__always) get { self } }

  /// Whether there is a value. It costs less than to compare the value with `nil`, which copies it.
  @inline(__always) var isPresent: Bool { !values.isEmpty }
}
