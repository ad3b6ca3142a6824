import Foundation

/// The long form of tests that take samples by default: `BAIZE_LONG=1`, as `Tests/long/tests.sh` sets it.
public enum LongForm {
  public static let isOn = ProcessInfo.processInfo.environment["BAIZE_LONG"] != nil

  /// Returns how many cases a test tries.
  ///
  /// - Parameters:
  ///   - short: The number by default.
  ///   - long: The number in the long form.
  public static func count<Number>(_ short: Number, long: Number) -> Number { isOn ? long : short }
}
