import BaizeBot

/// Text from other users, such as a name, for a terminal.
enum Printable {
  /// The text without control characters.
  static func text(_ text: String) -> String {
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: clean.append("?")
      default: clean.append(scalar)
      }
    }
    return String(clean)
  }
}

extension StyledText {
  /// A text of another user, without control characters and not too long.
  static func clean(_ text: String) -> String {
    Printable.text(String(String.UnicodeScalarView(text.unicodeScalars.prefix(24))))
  }
}
