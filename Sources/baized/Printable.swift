/// What others have chosen, such as a name, for a terminal.
enum Printable {
  /// The text without what could steer a terminal.
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
