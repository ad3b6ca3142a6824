/// Every bound on what a document may hold. A document may come from a stranger: a daemon's operator, or, to a client,
/// the daemon.
enum Limits {
  static let documentBytesMax = 256 * 1024
  /// How deep values may stand in one another.
  static let depthMax = 64
  /// How many mistakes are reported at once.
  static let mistakesMax = 1_000
  /// After so many mistakes nobody looks for the word that was meant.
  static let hintsMax = 64

  /// What every JSON reader keeps exact: 2⁵³ − 1.
  static let integerMax: Int64 = 9_007_199_254_740_991
  static let nameLengthMax = 64
  static let contentTypeLengthMax = 127
  /// Of titles and details, in Unicode scalars.
  static let sentenceLengthMax = 256

  static let seatsMax = 256
  static let optionsMax = 32
  static let optionTextBytesMax = 1_024
  static let choicesMax = 64
  static let variablesMax = 256
  static let collectionsMax = 1_024
  /// A number among the members of a family, and the ends of a range in a product.
  static let memberMax: Int64 = 1_000_000
  /// Conditions, those of a check counted again at each use.
  static let conditionsMax = 4_096
  /// Deals, one for each member of a family.
  static let dealsMax = 4_096
  /// Items in all decks together.
  static let itemsMax = 1_000_000

  /// How many compiled table types a cache keeps.
  static let cachedTypesMax = 64
}
