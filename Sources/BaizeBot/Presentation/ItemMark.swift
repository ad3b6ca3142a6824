/// The state of an item in a copy: a sign in front of it, and a style, so that it shows without colours, too.
package enum ItemMark: Sendable {
  /// Among the items of the last diff.
  case fresh
  /// Shown where its own operation puts it, which the daemon has not answered.
  case pending
  /// Sprung back: its operation was refused.
  case refused
  /// Landed at a rebased gap.
  case rebased

  package var sign: String {
    switch self {
    case .fresh: " "
    case .pending: "•"
    case .refused: "✗"
    case .rebased: "↪"
    }
  }

  package var style: StyledText.Style {
    switch self {
    case .fresh: .fresh
    case .pending: .bold
    case .refused: .boldRed
    case .rebased: .boldMagenta
    }
  }

  /// The meaning of the signs.
  package static var legend: StyledText {
    var line = StyledText()
    for (mark, meaning) in [
      (Self.pending, "shown, not answered"), (.refused, "refused, sprung back"),
      (.rebased, "rebased on others' moves"),
    ] {
      line.append(" \(mark.sign) ", mark.style)
      line.append(meaning + " ", .dim)
    }
    return line
  }
}
