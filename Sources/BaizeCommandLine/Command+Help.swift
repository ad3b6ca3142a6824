extension Command {
  /// The maximum width of the help, in characters.
  public static let helpColumnsMax = 100

  /// The text of `--help`, including its final newline.
  public var help: String {
    var lines = Self.wrap(summary, indent: 0)
    lines.append("")
    for (number, form) in usage.enumerated() { lines.append((number == 0 ? "Usage: " : "       ") + "\(name) \(form)") }
    let width = allSections.flatMap(\.options).map(\.heading.count).max() ?? 0
    for section in allSections {
      lines.append("")
      lines.append("\(section.title):")
      for option in section.options { lines += option.lines(headingColumns: width) }
    }
    for note in notes {
      lines.append("")
      lines += Self.wrap(note, indent: 0)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The options that every command has.
  static let help = [
    CommandOption("--help", nil, "Prints this text."), CommandOption("--version", nil, "Prints the version."),
  ]

  private var allSections: [Section] {
    sections + [Section("Help", Self.help)]
  }

  /// Wraps a text at spaces and keeps the author's line breaks.
  static func wrap(_ text: String, indent: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      wrapParagraph(paragraph, columns: helpColumnsMax - indent).map { String(repeating: " ", count: indent) + $0 }
    }
  }

  private static func wrapParagraph(_ text: Substring, columns: Int) -> [String] {
    // A line that fits stays as it is, so that authors can align columns.
    if text.count <= columns { return [String(text)] }
    let head = firstColumn(of: text)
    let margin = String(repeating: " ", count: head.count)
    var lines: [String] = []
    var line = String(head)
    for word in text.dropFirst(head.count).split(separator: " ") {
      if line.count > margin.count, line.count + 1 + word.count > columns {
        lines.append(line)
        line = margin
      }
      line += line.count > margin.count ? " \(word)" : "\(word)"
    }
    return lines + [line]
  }

  /// Returns the margin of a line or, if the line is a row of an aligned list (`  name   text`), everything before its text.
  private static func firstColumn(of line: Substring) -> Substring {
    let margin = line.prefix { $0 == " " }
    guard !margin.isEmpty, let gap = line[margin.endIndex...].firstRange(of: "  ") else { return margin }
    let text = line[gap.lowerBound...].firstIndex { $0 != " " } ?? line.endIndex
    return line[..<text]
  }
}

extension CommandOption {
  var heading: String { "  " + flag + (placeholder.map { " \($0)" } ?? "") }

  fileprivate func lines(headingColumns: Int) -> [String] {
    let column = headingColumns + 2
    let text = help + (standard.map { " Default: \($0)." } ?? "")
    let body = Command.wrap(text, indent: column)
    let first = heading + body[0].dropFirst(heading.count)
    return [first] + body.dropFirst()
  }
}
