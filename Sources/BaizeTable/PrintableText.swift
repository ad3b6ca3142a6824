extension String {
  /// Returns the text for a line of a terminal or a log, which text from others must not control: control characters, escape
  /// sequences, line breaks, marks of writing direction and everything else that is not shown as itself become `\u{1b}` and
  /// the like. A text that was escaped before is not changed.
  ///
  /// - Parameters:
  ///   - lengthMax: The number of Unicode scalars after which the text is cut, before it is escaped.
  ///   - keepsLineFeeds: Whether line feeds stay, for a program's own text of several lines.
  package func printable(lengthMax: Int = .max, keepsLineFeeds: Bool = false) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(lengthMax) {
      if scalar.isPrintable || keepsLineFeeds && scalar == "\n" {
        printable.append(scalar)
      } else {
        printable.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
    }
    return String(printable)
  }
}

extension Unicode.Scalar {
  private static let ascii = Unicode.Scalar(0x20)...Unicode.Scalar(0x7E)

  fileprivate var isPrintable: Bool {
    if Self.ascii.contains(self) { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
