internal import BaizeTable

/// A line for a terminal, of known width: pieces of text, each escaped and in a style.
package struct StyledText: Sendable {
  /// A style that is legible on dark and on light backgrounds.
  package enum Style: String, Sendable {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case magenta = "35"
    case boldRed = "1;31"
    case boldGreen = "1;32"
    case boldMagenta = "1;35"
    /// For items that have just moved.
    case fresh = "7"
    case freshRed = "7;31"

    /// The codes that are not colours.
    fileprivate var colourless: String {
      rawValue.split(separator: ";").filter { $0.count == 1 }.joined(separator: ";")
    }
  }

  private var pieces: [(text: String, style: Style)] = []
  /// The number of columns that the text takes in a terminal.
  package private(set) var columns = 0

  package init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

  package mutating func append(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    let text = text.printable()
    pieces.append((text, style))
    columns += text.terminalColumns
  }

  package mutating func append(_ other: StyledText) {
    pieces += other.pieces
    columns += other.columns
  }

  /// Fills up with spaces to a width, or cuts at it.
  package func fitted(to width: Int) -> StyledText {
    var text = cut(to: width)
    text.append(String(repeating: " ", count: max(0, width - text.columns)))
    return text
  }

  /// Cuts the text at a width, with an ellipsis.
  package func cut(to width: Int) -> StyledText {
    guard columns > width else { return self }
    guard width > 0 else { return StyledText() }
    var text = parts(at: characterCount(in: width - 1)).head
    text.append("…", .dim)
    return text
  }

  /// Wraps the text to two lines if it is too wide: the second is indented, and cut if that is not enough.
  package func wrapped(to width: Int, indent: Int) -> [StyledText] {
    guard columns > width, width > 2 * indent else { return [cut(to: width)] }
    let whole = Array(plain)
    let count = characterCount(in: width)
    let space = whole[...min(count, whole.count - 1)].lastIndex(of: " ").flatMap { $0 > indent ? $0 : nil }
    let (head, tail) = parts(at: space ?? count)
    var second = StyledText(String(repeating: " ", count: indent))
    second.append(space == nil ? tail : tail.parts(at: 1).tail)
    return [head, second.cut(to: width)]
  }

  /// Returns the number of characters that fit into a width.
  private func characterCount(in width: Int) -> Int {
    var (count, used) = (0, 0)
    for character in plain {
      used += character.terminalColumns
      guard used <= width else { break }
      count += 1
    }
    return count
  }

  /// Returns the first `count` characters, and the others.
  private func parts(at count: Int) -> (head: StyledText, tail: StyledText) {
    var (head, tail) = (StyledText(), StyledText())
    var left = count
    for piece in pieces {
      head.append(String(piece.text.prefix(left)), piece.style)
      tail.append(String(piece.text.dropFirst(left)), piece.style)
      left = max(0, left - piece.text.count)
    }
    return (head, tail)
  }

  /// The text without styles.
  package var plain: String { pieces.map(\.text).joined() }

  /// Returns the text with the escape codes of its styles.
  ///
  /// - Parameter isColourful: Whether the styles may have colours, and not only weight and inversion.
  package func styled(isColourful: Bool) -> String {
    pieces.map { piece in
      let code = isColourful ? piece.style.rawValue : piece.style.colourless
      return code.isEmpty ? piece.text : "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
    }.joined()
  }

  package static func rule(_ columns: Int) -> StyledText {
    StyledText(String(repeating: "─", count: max(0, columns)), .dim)
  }
}

extension String {
  /// The number of columns that the text takes in a terminal.
  package var terminalColumns: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.terminalColumns }
  }
}

extension Character {
  /// 2 for what terminals show as wide: ideographs, kana, hangul, full-width forms, emoji.
  fileprivate var terminalColumns: Int {
    unicodeScalars.contains { scalar in
      scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
    } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE0F...0xFE0F,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}
