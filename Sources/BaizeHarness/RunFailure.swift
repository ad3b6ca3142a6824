/// The reason why a run could not be started or finished, in words.
package struct RunFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
