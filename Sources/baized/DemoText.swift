import BaizeBot

/// A line of styled text for a terminal, with its width.
struct DemoText {
  enum Style: String {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    /// Highlighted, for items that have just moved.
    case fresh = "7"
    case freshRed = "7;31"
  }

  private var pieces: [(text: String, style: Style)] = []
  private(set) var columns = 0

  init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

  mutating func append(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    pieces.append((text, style))
    columns += text.count
  }

  mutating func append(_ other: DemoText) {
    pieces += other.pieces
    columns += other.columns
  }

  /// Returns the text padded with spaces or cut to a width.
  func fitted(to width: Int) -> DemoText {
    if columns <= width {
      var text = self
      text.append(String(repeating: " ", count: width - columns))
      return text
    }
    return cut(to: width)
  }

  /// Returns the text cut to a width, with an ellipsis if it is longer.
  func cut(to width: Int) -> DemoText {
    guard columns > width else { return self }
    guard width > 0 else { return DemoText() }
    var text = DemoText()
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

  /// Returns the text as up to two lines; the second is indented and cut if necessary.
  func wrapped(to width: Int, indent: Int) -> [DemoText] {
    guard columns > width, width > 2 * indent else { return [cut(to: width)] }
    let whole = Array(plain)
    let split = whole[..<width].lastIndex(of: " ").flatMap { $0 > indent ? $0 : nil } ?? width
    var second = DemoText(String(repeating: " ", count: indent))
    second.append(part(from: whole[split] == " " ? split + 1 : split, to: columns))
    return [part(from: 0, to: split), second.cut(to: width)]
  }

  /// Returns a range of columns.
  private func part(from start: Int, to end: Int) -> DemoText {
    var part = DemoText()
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
  var plain: String { pieces.map(\.text).joined() }

  /// The text with escape codes for its styles.
  var styled: String {
    pieces.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }.joined()
  }

  static func rule(_ columns: Int) -> DemoText { DemoText(String(repeating: "─", count: max(0, columns)), .dim) }

  /// Returns text from a participant without control characters, shortened.
  static func clean(_ text: String) -> String { Narration.printable(text, lengthMax: 24) }
}
