import BaizeTable

/// The end of a message that suggests a similar known word; empty if there is none.
package struct Suggestion: CustomStringConvertible {
  package let description: String

  package init(for word: String, among known: some Sequence<String>) {
    let best = known.lazy
      .map { (name: $0, distance: Self.distance(from: word, to: $0)) }
      .filter { $0.distance <= max(1, min(2, $0.name.utf8.count / 3)) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    description = best.map { "; did you mean '\($0.name)'?" } ?? ""
  }

  /// Returns the optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours. A text too
  /// long for a name is far from everything.
  private static func distance(from left: String, to right: String) -> Int {
    let (left, right) = (Array(left.lowercased().utf8), Array(right.lowercased().utf8))
    guard left.count <= DocumentLimits.nameLengthMax, right.count <= DocumentLimits.nameLengthMax else { return .max }
    guard abs(left.count - right.count) <= 2 else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var next = [row + 1]
      for (column, other) in right.enumerated() {
        var best = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        next.append(best)
      }
      (beforeLast, last) = (last, next)
    }
    return last[right.count]
  }
}
