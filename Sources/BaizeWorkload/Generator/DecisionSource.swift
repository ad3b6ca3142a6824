package import BaizeTable

/// A source of decisions: a seeded generator, or the bytes of a fuzzer's input.
package protocol DecisionSource {
  /// Returns a number from 0 below `bound`, which is at least 1.
  mutating func below(_ bound: Int) -> Int

  /// Returns true once in `times` on average; never for 0.
  mutating func happens(onceIn times: Int) -> Bool
}

extension RandomSource: DecisionSource {
  package mutating func below(_ bound: Int) -> Int { Int(next(below: UInt64(bound))) }

  package mutating func happens(onceIn times: Int) -> Bool { times > 0 && below(times) == 0 }
}

extension DecisionSource {
  /// Returns one of the elements, of which there is at least one.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Returns one of the elements, each as likely as its weight; without a decision if only one of them has any.
  package mutating func choose<Element>(by weights: [(element: Element, weight: Int)]) -> Element {
    let total = weights.reduce(0) { $0 + $1.weight }
    precondition(total > 0, "no element has a weight")
    if let sole = weights.first(where: { $0.weight == total }) { return sole.element }
    var left = below(total)
    for (element, weight) in weights {
      left -= weight
      if left < 0 { return element }
    }
    preconditionFailure("\(left) is beyond the weights")
  }

  package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }

  /// Returns a number that is rarely valid: at the bounds of what is read, of ids, and of numbers that JavaScript has.
  package mutating func number() -> UInt64 {
    let numbers: [UInt64] = [
      0, 1, 2, .max, .max - 1, 1 << 63, 1 << 53, 1 << 53 - 1, 1 << 53 - 2, 1 << 52, 1 << 51, 1 << 40, 1 << 32,
    ]
    return happens(onceIn: numbers.count + 1) ? UInt64(below(256)) << 24 : pick(numbers)
  }

  /// Returns a number near a valid one, or one that is never valid.
  package mutating func number(near right: UInt64) -> UInt64 {
    switch below(8) {
    case 0...3: right
    case 4: right &+ 1
    case 5: right &- 1
    case 6: right &- UInt64(below(256))
    default: number()
    }
  }

  /// Returns an id near a valid one, or one that is never valid.
  package mutating func id<ID: RawRepresentable>(near right: ID) -> ID where ID.RawValue == UInt64 {
    ID(rawValue: number(near: right.rawValue)) ?? right
  }
}
