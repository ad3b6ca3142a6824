import BaizeTable

/// Checks documents for `baized check`.
public enum Checker {
  /// Returns all mistakes in a document, ordered by position.
  public static func mistakes(in bytes: [UInt8]) -> [Mistake] { check(bytes).mistakes }

  /// Checks a document.
  ///
  /// It also compiles the document with each option at its extreme values, which ``TableTypeDocument/init(parsing:)`` does
  /// not: as many values as fit in `DocumentLimits.checkStepsMax`, those first that are most likely to break rules.
  ///
  /// - Complexity: O(size of the document + values of its options + `checkStepsMax`).
  public static func check(_ bytes: [UInt8]) -> DocumentCheck {
    let document: TableTypeDocument
    do throws(DocumentMistakes) {
      document = try TableTypeDocument(parsing: bytes)
    } catch {
      return DocumentCheck(mistakes: error.mistakes)
    }
    var check = DocumentCheck(mistakes: [], steps: document.steps)
    var mistakes: Set<Mistake> = []
    let choices = document.extremes
    check.values = choices.count
    for choice in choices where check.steps < DocumentLimits.checkStepsMax {
      guard mistakes.count < DocumentLimits.mistakesMax else { break }
      let (found, steps) = document.mistakes(with: choice)
      mistakes.formUnion(found)
      check.steps += steps
      check.triedValues += 1
    }
    check.mistakes = Array(mistakes.sorted().prefix(DocumentLimits.mistakesMax))
    return check
  }
}

/// The result of checking a document.
public struct DocumentCheck: Hashable, Sendable {
  /// All mistakes, ordered by position.
  public internal(set) var mistakes: [Mistake]
  /// A measure of the work: the values that were read, and those that they stand for.
  public internal(set) var steps = 0
  /// The number of values of options that the document tells apart, besides the defaults.
  public internal(set) var values = 0
  /// The number of these that the document was compiled with.
  public internal(set) var triedValues = 0
}
