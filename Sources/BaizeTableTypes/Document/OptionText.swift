import BaizeTable

/// Parses the options after the `?` of a table type's name: `draw=3&emptyPile=any`.
enum OptionText {
  static func parse(
    _ text: String, for options: [OptionDeclaration]
  ) throws(TableTypeError) -> [String: AttributeValue] {
    guard text.utf8.count <= DocumentLimits.optionTextBytesMax else { throw .unreadableOption(text) }
    var choices: [String: AttributeValue] = [:]
    guard !text.isEmpty else { return choices }
    for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw .unreadableOption(String(pair)) }
      guard let option = options.first(where: { $0.name.hasBytes(of: String(parts[0])) }) else {
        throw .unknownOption(String(parts[0]), known: options.map(\.name))
      }
      guard let value = option.value(of: String(parts[1])) else { throw .valueNotAllowed(String(parts[1]), option) }
      guard choices.updateValue(value, forKey: option.name) == nil else { throw .repeatedOption(option.name) }
    }
    return choices
  }
}
