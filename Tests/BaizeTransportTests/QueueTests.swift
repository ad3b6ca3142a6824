import BaizeTransport
import Testing

@Suite struct QueueTests {
  @Test func `elements leave in the order in which they came`() {
    var queue = Queue<Int>()
    var reference: [Int] = []
    for step in 0..<500 {
      if step * 7 % 3 < 2 {
        queue.append(step)
        reference.append(step)
      } else {
        #expect(queue.popFirst() == (reference.isEmpty ? nil : reference.removeFirst()))
      }
      #expect(queue.first == reference.first && queue.last == reference.last && queue.count == reference.count)
      #expect(queue.contains { $0 == step } == reference.contains(step) && !queue.contains { $0 < 0 })
    }
    while let element = queue.popFirst() { #expect(element == reference.removeFirst()) }
    #expect(reference.isEmpty && queue.isEmpty)
  }
}
