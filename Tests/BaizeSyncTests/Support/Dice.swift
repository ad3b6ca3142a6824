import BaizeTable

extension RandomSource {
  mutating func below(_ bound: Int) -> Int { Int(next(below: UInt64(bound))) }
}
