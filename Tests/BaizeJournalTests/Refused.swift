import BaizeSync
import Testing

/// Checks that a file is refused with a sentence.
func refused(
  _ sentence: String, at location: SourceLocation = #_sourceLocation, _ body: () throws(JournalError) -> Void
) {
  do throws(JournalError) {
    try body()
    Issue.record("it was accepted", sourceLocation: location)
  } catch {
    #expect(error.kind == .unusable, "\(error)", sourceLocation: location)
    #expect(error.description.contains(sentence), "\(error)", sourceLocation: location)
  }
}
