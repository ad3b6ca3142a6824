import BaizeTable

extension RandomSource {
  mutating func below(_ bound: Int) -> Int { Int(next(below: UInt64(bound))) }

  /// Whether a thing happens that happens once in `times`; never for 0.
  mutating func happens(onceIn times: Int) -> Bool { times > 0 && below(times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
