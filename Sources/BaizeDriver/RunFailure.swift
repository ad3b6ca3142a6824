/// An error that prevented the start or the end of a run, with a description.
package struct RunFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
