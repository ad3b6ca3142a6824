extension JSONParser {
  mutating func parseNumber() throws(Mistake) -> JSON.Content {
    let start = index
    _ = take("-")
    if !take("0") { try skipDigits() }
    let isInteger = peek != UInt8(ascii: ".") && peek != UInt8(ascii: "e") && peek != UInt8(ascii: "E")
    if take(".") { try skipDigits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isInteger { return Int64(text).map(JSON.Content.integer) ?? .number(text) }
    return wholeNumber(text).map(JSON.Content.integer) ?? .number(text)
  }

  /// Returns the value of a number with a fraction or an exponent if it is whole and not too large. It works on digits, so
  /// that nothing is rounded.
  private func wholeNumber(_ text: String) -> Int64? {
    let parts = text.split { $0 == "e" || $0 == "E" }
    let isNegative = parts[0].hasPrefix("-")
    let halves = parts[0].drop { $0 == "-" }.split(separator: ".")
    guard var scale = parts.count == 2 ? Int(parts[1]) : 0 else { return nil }
    let fraction = halves.count == 2 ? halves[1] : ""
    let digits = (halves[0] + fraction).drop { $0 == "0" }
    guard let last = digits.lastIndex(where: { $0 != "0" }) else { return 0 }
    let zeros = digits.distance(from: last, to: digits.endIndex) - 1 - fraction.utf8.count
    let (sum, overflow) = scale.addingReportingOverflow(zeros)
    scale = sum
    let significant = digits[...last]
    guard !overflow, scale >= 0, scale <= 16, significant.utf8.count <= 16 else { return nil }
    return Int64((isNegative ? "-" : "") + significant + String(repeating: "0", count: scale))
  }

  private mutating func skipDigits() throws(Mistake) {
    guard isAtDigit else { throw mistake("expected a digit") }
    while isAtDigit { advance() }
  }

  private var isAtDigit: Bool { peek.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false }
}
