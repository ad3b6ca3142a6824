/// What `baized check FILE` asks.
public enum Checker {
  /// Everything wrong with a document, in the order of the positions; empty for a document without mistakes.
  ///
  /// Beyond what ``TableTypeDocument/init(parsing:)`` finds, every option is tried at the ends of what it allows.
  public static func mistakes(in bytes: [UInt8]) -> [Mistake] {
    do throws(DocumentMistakes) {
      return DocumentMistakes(try TableTypeDocument(parsing: bytes).mistakesAtExtremes()).mistakes
    } catch {
      return error.mistakes
    }
  }
}
