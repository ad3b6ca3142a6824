import BaizeTable

/// Items with faces as people give them: a title of some 20 to 40 characters.
enum Titles {
  private static let verbs = ["Call", "Tell", "Visit", "Remind", "Pay", "Thank", "Meet", "Ask"]
  private static let people = ["the printer", "Aunt Ida", "the landlord", "our dentist", "Mr Olsen", "the caterer"]
  private static let matters = ["the invoice", "the tickets", "blue paint", "a second key", "a table"]

  static func items(_ count: Int, seed: UInt64) -> [NewItem] {
    var random = RandomSource(seed: seed)
    func any(_ words: [String]) -> String { words[Int(random.next(below: UInt64(words.count)))] }
    return (0..<count).map { _ in
      NewItem(attributes: [Attribute("title", "\(any(verbs)) \(any(people)) about \(any(matters))")])
    }
  }
}
