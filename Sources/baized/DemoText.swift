/// A line for a terminal that knows how wide it is: pieces of text, each in a style.
struct DemoText {
  enum Style: String {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    /// What has just moved.
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

  /// Fills up with spaces to a width, or cuts at it.
  func fitted(to width: Int) -> DemoText {
    if columns <= width {
      var text = self
      text.append(String(repeating: " ", count: width - columns))
      return text
    }
    return cut(to: width)
  }

  /// At most so wide; what is cut off leaves an ellipsis.
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

  /// The text in two lines where it is too wide for one: the second begins further in, and is cut if that is not enough.
  func wrapped(to width: Int, indent: Int) -> [DemoText] {
    guard columns > width, width > 2 * indent else { return [cut(to: width)] }
    let whole = Array(plain)
    let place = whole[..<width].lastIndex(of: " ").flatMap { $0 > indent ? $0 : nil } ?? width
    var second = DemoText(String(repeating: " ", count: indent))
    second.append(part(from: whole[place] == " " ? place + 1 : place, to: columns))
    return [part(from: 0, to: place), second.cut(to: width)]
  }

  /// The columns of a range.
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

  /// Without any styles.
  var plain: String { pieces.map(\.text).joined() }

  /// With the escape codes of its styles.
  var styled: String {
    pieces.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }.joined()
  }

  static func rule(_ columns: Int) -> DemoText { DemoText(String(repeating: "─", count: max(0, columns)), .dim) }

  /// What somebody else wrote, without what could steer a terminal, and not too long.
  static func clean(_ text: String) -> String {
    Printable.text(String(String.UnicodeScalarView(text.unicodeScalars.prefix(24))))
  }
}
