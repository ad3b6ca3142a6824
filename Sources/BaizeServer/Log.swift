public import BaizeTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lines for the operator, on standard error. No token, no invite and no face of an item ever gets here.
public struct Log: Sendable {
  /// The importance of a line, the most important first.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    case error
    case warning
    case info
    case debug

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .error: 0
      case .warning: 1
      case .info: 2
      case .debug: 3
      }
    }
  }

  public let level: Level
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - level: What is less important is left out.
  ///   - write: Takes a line with its end; from any thread.
  public init(_ level: Level, to write: @escaping @Sendable (String) -> Void = StandardError.write) {
    self.level = level
    self.write = write
  }

  /// Says something, unless it is not important enough; then the text is not even made.
  public func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    let time = Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
    write("\(time)Z \(level.rawValue): \(text())\n")
  }
}

extension String {
  /// The text in quotation marks, fit for one line of a log or terminal: what is no plain character of the line becomes
  /// an escape sequence, and too long a text is cut.
  var quotedForLog: String {
    var quoted = "\""
    for scalar in unicodeScalars.prefix(200) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        if scalar == "\"" || scalar == "\\" { quoted += "\\" }
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
