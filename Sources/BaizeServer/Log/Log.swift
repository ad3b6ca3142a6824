import BaizeTable

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The log for the operator, on standard error by default. It never contains a token, an invite or an item's face.
///
/// No thread waits for standard error: its lines are queued, up to a megabyte, and dropped beyond that.
public struct Log: Sendable {
  /// The importance of a line, the most important first.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// A failure that needs the operator, such as a journal that cannot be opened.
    case error
    /// A problem that the daemon survives.
    case warning
    /// An event of normal operation.
    case info
    /// A detail for debugging.
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

  /// The form of a line.
  public enum Format: String, CaseIterable, Sendable {
    /// The time, the level and the text.
    case text
    /// An object with the keys `time`, `level` and `text`.
    case json

    func line(_ level: Level, _ text: String) -> String {
      let time = Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
      let text = text.printable()
      return switch self {
      case .text: "\(time) \(level.rawValue): \(text)\n"
      case .json: "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"text\":\"\(text.withEscapes)\"}\n"
      }
    }
  }

  /// The least important level that is written.
  public let level: Level
  /// The form of the lines.
  public let format: Format
  private let write: @Sendable (String) -> Void

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - level: The least important level to write.
  ///   - format: The form of the lines.
  ///   - write: Receives each line, with its line feed; `nil` for standard error. It may be called on any thread.
  public init(_ level: Level, format: Format = .text, to write: (@Sendable (String) -> Void)? = nil) {
    self.level = level
    self.format = format
    self.write = write ?? { LogQueue.standardError.add($0, format) }
  }

  /// Writes a line with the time and the level, escaped. If the level is not written, the text is not evaluated.
  public func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    write(format.line(level, text()))
  }

  /// Waits until what was written to standard error has left the process, but not longer than a second.
  package static func flush() { LogQueue.standardError.flush() }
}

extension String {
  /// The text in quotation marks, escaped, and cut after 200 scalars.
  var quotedForLog: String {
    "\"" + String(String.UnicodeScalarView(unicodeScalars.prefix(200))).withEscapes.printable() + "\""
  }

  /// The text with a backslash before each quotation mark and backslash.
  fileprivate var withEscapes: String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == "\"" || scalar == "\\" { escaped.append("\\") }
      escaped.append(scalar)
    }
    return String(escaped)
  }
}
