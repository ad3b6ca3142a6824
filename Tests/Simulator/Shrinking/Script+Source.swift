import BaizeSync
import BaizeWorkload

extension Script {
  /// The script as Swift: a test that fails as the script does.
  public var source: String {
    """
    let script = Script(
      plan: \(plan.source),
      steps: [
    \(steps.map { "    \(Source.text($0))," }.joined(separator: "\n"))
      ])
    #expect(script.failure() == nil)
    """
  }
}

extension SimulationPlan {
  /// Leaves out default values.
  fileprivate var source: String {
    var parts = ["seed: \(seed)", "tables: \(Source.text(tables))", "clients: \(Source.text(clients))"]
    if durability != .strict { parts.append("durability: .\(durability.rawValue)") }
    if !limits.isEmpty { parts.append("limits: \(Source.text(limits))") }
    if let frameFault { parts.append("frameFault: .\(frameFault.rawValue)") }
    return "SimulationPlan(\n    \(parts.joined(separator: ",\n    ")))"
  }
}

/// Values as Swift source, by reflection.
enum Source {
  static func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    switch (value, mirror.displayStyle) {
    case (let spot as Spot, _): return "Spot(\(spot.collection), \(spot.offset))"
    case (let gap as Gap, _): return "Gap(\(gap.collection)\(gap.before.map { ", before: \($0)" } ?? ""))"
    case (Step.cut(let number, arriving: 0), _): return ".cut(\(number))"
    case (let text as String, _): return "\"\(text)\""
    case (_, .enum):
      guard let payload = mirror.children.first, let name = payload.label else { return ".\(value)" }
      let values = Mirror(reflecting: payload.value)
      return ".\(name)(\(values.displayStyle == .tuple ? arguments(values) : text(payload.value)))"
    case (_, .struct): return "\(mirror.subjectType)(\(arguments(mirror)))"
    case (_, .collection): return "[\(mirror.children.map { text($0.value) }.joined(separator: ", "))]"
    default: return "\(value)"
    }
  }

  private static func arguments(_ mirror: Mirror) -> String {
    mirror.children.map { label, value in
      // Elements without a label are numbered.
      label.map { $0.hasPrefix(".") ? text(value) : "\($0): \(text(value))" } ?? text(value)
    }.joined(separator: ", ")
  }
}
