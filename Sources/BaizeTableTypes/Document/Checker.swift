/// Checks documents for `baized check`.
public enum Checker {
  /// Returns all mistakes in a document, ordered by position.
  ///
  /// It also compiles the document with each option at its extreme values, which ``TableTypeDocument/init(parsing:)`` does
  /// not.
  public static func mistakes(in bytes: [UInt8]) -> [Mistake] {
    do throws(DocumentMistakes) {
      return DocumentMistakes(try TableTypeDocument(parsing: bytes).mistakesAtExtremes()).mistakes
    } catch {
      return error.mistakes
    }
  }
}
