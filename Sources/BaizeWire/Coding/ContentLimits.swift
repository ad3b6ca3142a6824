import BaizeTable

/// The limits of the items, texts and actions that an operation carries, applied while its message is decoded.
///
/// A part that exceeds its limit is left out, and the first one becomes the operation's defect. So nothing behind the decoder
/// sees an illegal part, and the operation is refused like any other. A daemon's message has no such limits.
struct ContentLimits {
  private let applies: Bool
  /// The first part that exceeds its limit.
  private(set) var defect: OperationDefect?

  init(for sender: Sender) {
    switch sender {
    case .client: applies = true
    case .daemon, .journal: applies = false
    }
  }

  /// Returns whether a part is within its limit, and notes it as the defect if not.
  mutating func admits(_ part: OperationDefect.Part, _ count: Int) -> Bool {
    guard applies, let excess = OperationDefect(part, count) else { return true }
    defect = defect ?? excess
    return false
  }

  /// Returns the operation, or what remains of an operation with a defect.
  func operation(_ kind: TableOperation.Kind) -> TableOperation.Kind {
    if let defect { .invalid(defect, of: kind) } else { kind }
  }
}

extension ByteReader {
  /// Reads a text; one that exceeds the limit of its part must be UTF-8, too, and is left out.
  mutating func string(
    _ field: FieldTag, _ part: OperationDefect.Part, _ limits: inout ContentLimits
  ) throws(DecodeError) -> String {
    let content = try message(field)
    let text = try content.text()
    return limits.admits(part, content.remaining) ? text : ""
  }
}
