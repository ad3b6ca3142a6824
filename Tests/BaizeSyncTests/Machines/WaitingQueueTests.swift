import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

/// The queue of connections that wait for a table (I8, I11).
@Suite struct WaitingQueueTests {
  /// A key that counts how often it is looked up.
  private struct CountedKey: Hashable {
    final class Counter { var lookups = 0 }

    let number: Int
    let counter: Counter

    static func == (one: Self, other: Self) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) {
      counter.lookups += 1
      hasher.combine(number)
    }
  }

  @Test func `it is a queue from which elements are removed anywhere`() {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = RandomSource(seed: seed)
      var queue = WaitingQueue<Int, String>()
      var oracle: [Int] = []
      for number in 0..<60 {
        switch random.below(6) {
        case 0:
          let popped = queue.popFirst()
          #expect(popped?.key == oracle.first && popped?.element == oracle.first.map { "\($0)" }, "seed \(seed)")
          oracle = Array(oracle.dropFirst())
        case 1, 2:
          let key = random.below(number + 1)
          #expect((queue.remove(key) != nil) == oracle.contains(key), "seed \(seed)")
          oracle.removeAll { $0 == key }
        case 3:
          queue.prepend("\(number)", for: number)
          oracle.insert(number, at: 0)
        default:
          queue.append("\(number)", for: number)
          oracle.append(number)
        }
        #expect(queue.count == oracle.count && queue.isEmpty == oracle.isEmpty)
        let odd = queue.first { Int($0).map { $0 % 2 == 1 } ?? false }
        #expect(odd?.key == oracle.first { $0 % 2 == 1 }, "seed \(seed)")
      }
      while let (key, _) = queue.popFirst() { #expect(key == oracle.removeFirst(), "seed \(seed)") }
      #expect(oracle.isEmpty)
    }
  }

  @Test func `I11: removing one takes the same work however many wait`() {
    let counter = CountedKey.Counter()
    var queue = WaitingQueue<CountedKey, Int>()
    let count = 10_000
    let keys = (0..<count).map { CountedKey(number: $0, counter: counter) }
    for key in keys { queue.append(key.number, for: key) }
    var random = RandomSource(seed: 1)
    var order = keys
    random.shuffle(&order)
    counter.lookups = 0
    var most = 0
    for key in order {
      let before = counter.lookups
      queue.remove(key)
      most = max(most, counter.lookups - before)
    }
    // The node and its two neighbors; a removal may also rehash those behind it in the table.
    #expect(queue.isEmpty && counter.lookups <= 8 * count && most < 200, "\(counter.lookups), \(most) at once")
  }

  @Test func `connections that close while they wait for a table leave nothing behind`() {
    let daemon = Daemon()
    daemon.loadsAtOnce = false
    let all = (0..<100).map { number in
      let id = daemon.connect()
      daemon.receive(.hello(Hello(table: "t\(number % 3)", tableType: "list")), on: id)
      return id
    }
    for id in all.dropLast(2) { daemon.lose(id) }
    let waiting = (0..<3).reduce(0) { $0 + (daemon.shard.pending["t\($1)"]?.hellos.count ?? 0) }
    #expect(waiting == 2)
    for _ in 1...5 { daemon.endTurn() }
    #expect(daemon.shard.pending.isEmpty)
    for id in all.suffix(2) { #expect(daemon.take(id).kinds.first == "welcome") }
  }
}
