internal import BaizeTable

/// A line for a terminal, of known width: pieces of text, each escaped and in a style.
package struct StyledText {
  package enum Style: String {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    /// For items that have just moved.
    case fresh = "7"
    case freshRed = "7;31"
  }

  private var pieces: [(text: String, style: Style)] = []
  package private(set) var columns = 0

  package init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

  package mutating func append(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    let text = text.printable()
    pieces.append((text, style))
    columns += text.count
  }

  package mutating func append(_ other: StyledText) {
    pieces += other.pieces
    columns += other.columns
  }

  /// Fills up with spaces to a width, or cuts at it.
  package func fitted(to width: Int) -> StyledText {
    if columns <= width {
      var text = self
      text.append(String(repeating: " ", count: width - columns))
      return text
    }
    return cut(to: width)
  }

  /// Cuts the text at a width, with an ellipsis.
  package func cut(to width: Int) -> StyledText {
    guard columns > width else { return self }
    guard width > 0 else { return StyledText() }
    var text = StyledText()
    for piece in pieces {
      let room = width - 1 - text.columns
      if piece.text.count >= room {
        text.append(String(piece.text.prefix(room)), piece.style)
        break
      }
      text.append(piece.text, piece.style)
    }
    text.append("…", .dim)
    return text
  }

  /// Wraps the text to two lines if it is too wide: the second is indented, and cut if that is not enough.
  package func wrapped(to width: Int, indent: Int) -> [StyledText] {
    guard columns > width, width > 2 * indent else { return [cut(to: width)] }
    let whole = Array(plain)
    let index = whole[..<width].lastIndex(of: " ").flatMap { $0 > indent ? $0 : nil } ?? width
    var second = StyledText(String(repeating: " ", count: indent))
    second.append(part(from: whole[index] == " " ? index + 1 : index, to: columns))
    return [part(from: 0, to: index), second.cut(to: width)]
  }

  /// The columns of a range.
  private func part(from start: Int, to end: Int) -> StyledText {
    var part = StyledText()
    var column = 0
    for piece in pieces {
      let from = max(start - column, 0)
      let count = min(end - column, piece.text.count) - from
      if count > 0 { part.append(String(piece.text.dropFirst(from).prefix(count)), piece.style) }
      column += piece.text.count
    }
    return part
  }

  /// The text without styles.
  package var plain: String { pieces.map(\.text).joined() }

  /// The text with the escape codes of its styles.
  package var styled: String {
    pieces.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }.joined()
  }

  package static func rule(_ columns: Int) -> StyledText {
    StyledText(String(repeating: "─", count: max(0, columns)), .dim)
  }
}
