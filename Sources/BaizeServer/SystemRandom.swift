import BaizeSystem
import BaizeTable
import Synchronization

/// Random words of the operating system, fetched 32 at a time: shuffling a large table takes as many words as it has items,
/// and a system call for each would take longer than all the rest.
final class SystemRandom: Sendable {
  private struct Words {
    /// The words that have not been given out yet.
    var rest: ArraySlice<UInt64> = []
  }

  private let words = Mutex(Words())
  /// The most that `getentropy` gives at once, in words.
  private static let wordsPerCall = 256 / MemoryLayout<UInt64>.size

  /// A source of these words. Its copies share them, and no word is given out twice.
  var source: RandomSource { RandomSource { self.next() } }

  private func next() -> UInt64 {
    words.withLock { words in
      if words.rest.isEmpty { words.rest = Self.fetch() }
      return words.rest.removeFirst()
    }
  }

  private static func fetch() -> ArraySlice<UInt64> {
    var fetched = Array(repeating: UInt64.zero, count: wordsPerCall)
    let result = fetched.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) }
    if result == 0 { return fetched[...] }
    // Old kernels do not have the call; the standard library finds another way.
    var system = SystemRandomNumberGenerator()
    return [system.next()]
  }
}
