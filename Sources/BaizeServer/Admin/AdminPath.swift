import BaizeHTTP

/// The resources of the operator's address.
enum AdminPath: Equatable {
  case health
  case readiness
  case metrics
  case tables
  case journal
  case drain
  case revocations
  case revoke
  case restore
  case table(String)
  case action(Action, table: String)

  enum Action: String {
    case export
    case kick
    case close
    case delete
    case migrate
    case ticket
  }

  /// Parses a path; `nil` if there is no such resource.
  init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    switch (parts.count, parts.first) {
    case (1, "healthz"): self = .health
    case (1, "readyz"): self = .readiness
    case (1, "metrics"): self = .metrics
    case (1, "tables"): self = .tables
    case (1, "journal"): self = .journal
    case (1, "drain"): self = .drain
    case (1, "revocations"): self = .revocations
    case (1, "revoke"): self = .revoke
    case (1, "restore"): self = .restore
    case (2, "tables"), (3, "tables"):
      guard let name = parts.dropFirst().first?.percentDecoded, !name.isEmpty else { return nil }
      guard parts.count == 3 else {
        self = .table(name)
        return
      }
      guard let action = parts.last.flatMap({ Action(rawValue: String($0)) }) else { return nil }
      self = .action(action, table: name)
    case _: return nil
    }
  }

  /// The method that it accepts.
  var method: String {
    switch self {
    case .health, .readiness, .metrics, .tables, .journal, .revocations, .table, .action(.export, _): "GET"
    case .drain, .revoke, .restore, .action: "POST"
    }
  }

  var needsToken: Bool {
    switch self {
    case .health, .readiness: false
    case .metrics, .tables, .journal, .drain, .revocations, .revoke, .restore, .table, .action: true
    }
  }
}

/// The parameters of a query, such as `search=evening&offset=100`.
struct AdminQuery {
  private var values: [String: String] = [:]

  init(_ text: String) {
    for part in text.split(separator: "&").prefix(Self.parametersMax) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first?.percentDecoded, let value = words.dropFirst().first?.percentDecoded else {
        continue
      }
      values[name] = value
    }
  }

  private static let parametersMax = 16

  subscript(name: String) -> String? { values[name] }

  /// Returns a number that is not negative; `nil` without one.
  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 } }
}

extension Substring {
  /// The text without its percent-encoding; `nil` if it is malformed.
  fileprivate var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
