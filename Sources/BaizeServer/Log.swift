import BaizeSystem
import BaizeTable

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The log for the operator, on standard error by default. It never contains a token, an invite or an item's face.
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

  /// The least important level that is written.
  public let level: Level
  private let write: @Sendable (String) -> Void

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - level: The least important level to write.
  ///   - write: Receives each line, with its line feed; `nil` for standard error. It may be called on any thread.
  public init(_ level: Level, to write: (@Sendable (String) -> Void)? = nil) {
    self.level = level
    self.write = write ?? { StandardStream.error.put($0) }
  }

  /// Writes a line with the time and the level, escaped. If the level is not written, the text is not evaluated.
  public func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    let time = Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
    write("\(time)Z \(level.rawValue): \(text().printable())\n")
  }
}

extension String {
  /// The text in quotation marks, escaped, and cut after 200 scalars.
  var quotedForLog: String {
    var quoted = "\""
    for scalar in unicodeScalars.prefix(200) {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted.printable() + "\""
  }
}
