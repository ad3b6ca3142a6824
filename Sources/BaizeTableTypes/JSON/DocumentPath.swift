/// The path from a document's root to a value, such as `collections[0].accept.onItem[1].require`.
struct DocumentPath: Sendable, CustomStringConvertible {
  private(set) var steps: [Step] = []

  enum Step: Sendable {
    case key(String)
    case index(Int)
  }

  mutating func append(_ step: Step) { steps.append(step) }
  mutating func removeLast() { steps.removeLast() }

  func appending(_ step: Step) -> DocumentPath {
    var path = self
    path.append(step)
    return path
  }

  var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .index(let index): text += "[\(index)]"
      case .key(let key) where Name.isPlain(key): text += text.isEmpty ? key : ".\(key)"
      case .key(let key): text += "[\(key.quoted)]"
      }
    }
  }
}
