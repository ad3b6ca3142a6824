/// A figure that `Tests/figures.md` quotes, and the measure that gives it.
struct QuotedFigure: Sendable {
  /// The beginning of its row: the text of the first column.
  let row: String
  /// The number in the row's other columns, from 0. What stands in brackets is the spread of the number before.
  let number: Int
  /// The measure and its options, as on a command line.
  let command: String
  /// The name of the figure in that measure.
  let figure: String
  /// What the measured value is multiplied by, to be in the unit of the document.
  let scale: Double
  /// The factor up to which it counts as unchanged, besides the quoted spread: what other machines and other days explain.
  let within: Double

  /// Returns the figures of a row by its numbers, in order; `nil` stands for a number of another measure, or of none.
  static func row(
    _ row: String, _ command: String, _ figures: [String?], scale: Double = 1, within: Double = 1.25
  ) -> [QuotedFigure] {
    figures.enumerated().compactMap { number, figure in
      figure.map {
        QuotedFigure(row: row, number: number, command: command, figure: $0, scale: scale, within: within)
      }
    }
  }
}

/// The rows of a Markdown document's tables.
struct QuotedRows {
  /// By row: the first column, and the others.
  let rows: [(title: String, rest: String)]

  init(markdown: String) {
    rows = markdown.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      let columns = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
      return (columns[0].trimmed, columns.dropFirst().joined(separator: "|"))
    }
  }

  /// A number of a row, with the spread that is quoted behind it.
  struct Number: Equatable {
    let value: Double
    var least: Double?
    var most: Double?

    /// Whether a measured value is the quoted one, but for a factor.
    func isUnchanged(_ measured: Double, within factor: Double) -> Bool {
      let (low, high) = (least ?? value, most ?? value)
      return measured >= min(low / factor, low * factor) && measured <= max(high * factor, high / factor)
    }
  }

  /// Returns the numbers of the row with this title, or of the one that begins so, in order; `nil` if there is none, or more than
  /// one.
  func numbers(ofRow beginning: String) -> [Number]? {
    let exact = rows.filter { $0.title == beginning }
    let matching = exact.isEmpty ? rows.filter { $0.title.hasPrefix(beginning) } : exact
    guard matching.count == 1 else { return nil }
    // The last column is the command.
    let text = matching[0].rest.split(separator: "|").filter { !$0.contains("`.build") && !$0.contains("`Tests") }
      .joined(separator: "|")
    var numbers: [Number] = []
    for match in text.matches(of: /\(?([0-9][0-9,]*(?:\.[0-9]+)?)(?: … ([0-9][0-9,]*(?:\.[0-9]+)?)\))?/) {
      guard let value = Double(match.1.filter { $0 != "," }) else { continue }
      if let most = match.2.flatMap({ Double($0.filter { $0 != "," }) }), !numbers.isEmpty {
        numbers[numbers.count - 1].least = value
        numbers[numbers.count - 1].most = most
      } else {
        numbers.append(Number(value: value))
      }
    }
    return numbers
  }
}

extension Substring {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
