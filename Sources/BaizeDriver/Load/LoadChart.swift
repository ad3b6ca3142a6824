/// A chart of lines as SVG, readable on light and dark ground and in print: the lines differ in color and in dashes.
struct LoadChart {
  /// A line through points. Where a point has no value (`y` is not a number), the line is interrupted.
  struct Line {
    let name: String
    var points: [(x: Double, y: Double)]
  }

  /// An axis: the marks on it, in order, the first and last of which are its ends.
  struct Axis {
    let title: String
    let isLogarithmic: Bool
    let marks: [(value: Double, text: String)]

    /// Returns the position of a value, 0 … 1.
    func position(_ value: Double) -> Double {
      guard let first = marks.first?.value, let last = marks.last?.value, first < last else { return 0 }
      let share =
        isLogarithmic
        ? (LoadChart.log(max(value, first)) - LoadChart.log(first)) / (LoadChart.log(last) - LoadChart.log(first))
        : (value - first) / (last - first)
      return min(1, max(0, share))
    }
  }

  let title: String
  let x: Axis
  let y: Axis
  let lines: [Line]

  private static let (width, height, left, right, top, bottom) = (760.0, 300.0, 70.0, 40.0, 16.0, 44.0)
  /// The number of points that a line is drawn through.
  private static let pointsMax = 1_000

  var svg: String {
    let (inner, depth) = (Self.width - Self.left - Self.right, Self.height - Self.top - Self.bottom)
    func across(_ value: Double) -> String { LoadResult.fixed(Self.left + x.position(value) * inner, 1) }
    func down(_ value: Double) -> String { LoadResult.fixed(Self.top + (1 - y.position(value)) * depth, 1) }
    let (west, east) = (LoadResult.fixed(Self.left, 1), LoadResult.fixed(Self.width - Self.right, 1))
    let (north, south) = (LoadResult.fixed(Self.top, 1), LoadResult.fixed(Self.height - Self.bottom, 1))
    var parts = [
      "<figure><figcaption>\(title.escapedForHTML)</figcaption>",
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(title.escapedForHTML)\">",
    ]
    for mark in y.marks {
      let at = down(mark.value)
      parts.append("<line class=\"grid\" x1=\"\(west)\" x2=\"\(east)\" y1=\"\(at)\" y2=\"\(at)\"/>")
      parts.append(
        "<text class=\"end\" x=\"\(Int(Self.left) - 8)\" y=\"\(at)\" dy=\"4\">\(mark.text.escapedForHTML)</text>")
    }
    for mark in x.marks {
      let at = across(mark.value)
      parts.append("<line class=\"grid\" x1=\"\(at)\" x2=\"\(at)\" y1=\"\(north)\" y2=\"\(south)\"/>")
      parts.append(
        "<text class=\"middle\" x=\"\(at)\" y=\"\(Int(Self.height - Self.bottom) + 17)\">\(mark.text.escapedForHTML)</text>"
      )
    }
    parts.append(
      "<text class=\"middle\" x=\"\(LoadResult.fixed(Self.left + inner / 2, 0))\" y=\"\(Int(Self.height) - 6)\">"
        + "\(x.title.escapedForHTML)</text>")
    for (number, line) in lines.enumerated() {
      let step = max(1, line.points.count / Self.pointsMax)
      let points = stride(from: 0, to: line.points.count, by: step).map { line.points[$0] }
      for piece in points.split(whereSeparator: { $0.y.isNaN }) {
        // A single point needs a second one to be seen.
        let path = (piece.count == 1 ? piece + piece : piece).map { "\(across($0.x)),\(down($0.y))" }
        parts.append("<polyline class=\"line s\(number)\" points=\"\(path.joined(separator: " "))\"/>")
      }
    }
    parts.append("</svg><p class=\"key\">")
    for (number, line) in lines.enumerated() {
      parts.append(
        "<span><svg viewBox=\"0 0 28 8\" width=\"28\" height=\"8\" aria-hidden=\"true\"><line class=\"line s\(number)\" x1=\"0\" "
          + "x2=\"28\" y1=\"4\" y2=\"4\"/></svg> \(line.name.escapedForHTML)</span>")
    }
    parts.append("</p></figure>")
    return parts.joined(separator: "\n")
  }
}

extension String {
  var escapedForHTML: String {
    // Scalar by scalar: a mark before another sign would hide that in one character.
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text.append(contentsOf: "&amp;".unicodeScalars)
      case "<": text.append(contentsOf: "&lt;".unicodeScalars)
      case ">": text.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": text.append(contentsOf: "&quot;".unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
