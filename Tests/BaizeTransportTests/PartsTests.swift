import Foundation
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Parts {
    /// The oracle is an array.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a byte queue acts like an array and returns its buffer when it is empty`(_ seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      let pool = BufferPool()
      var queue = ByteQueue()
      var reference: [UInt8] = []
      for step in 0..<2000 {
        if Bool.random(using: &generator) {
          let count = Int.random(
            in: 0...(Int.random(in: 0...9, using: &generator) == 0 ? 9000 : 300), using: &generator)
          let more = pattern(count).map { $0 &+ UInt8(truncatingIfNeeded: step) }
          reference += more
          more.withUnsafeBytes { bytes in
            guard step % 4 == 0 else { return queue.append(bytes, pool) }
            // Borrowed in two pieces, and partly removed before the loan ends.
            let middle = bytes.count / 3
            queue.borrow(UnsafeRawBufferPointer(rebasing: bytes[..<middle]), pool)
            queue.borrow(UnsafeRawBufferPointer(rebasing: bytes[middle...]), pool)
            #expect(Array(queue.bytes) == reference, "seed \(seed) step \(step)")
            let count = min(queue.count, step % 7 * 40)
            queue.removeFirst(count, pool)
            reference.removeFirst(count)
            queue.endBorrowing(pool)
          }
        } else {
          let count = Int.random(in: 0...reference.count, using: &generator)
          queue.removeFirst(count, pool)
          reference.removeFirst(count)
          if step % 3 == 0 { queue.shrink(pool) }
        }
        #expect(queue.count == reference.count && Array(queue.bytes) == reference, "seed \(seed) step \(step)")
        #expect(!queue.isEmpty || queue.capacity == 0, "seed \(seed) step \(step)")
        #expect(queue.capacity <= max(1024, 8 * queue.count + 65536), "seed \(seed) step \(step)")
      }
    }

    @Test func `a pool reuses a buffer, and keeps no more than its bound`() {
      let pool = BufferPool()
      let buffer = pool.take(atLeast: 1500)
      #expect(buffer.count == 2048)
      pool.give(buffer)
      #expect(pool.heldBytes == 2048)
      let again = pool.take(atLeast: 1025)
      #expect(again.baseAddress == buffer.baseAddress && pool.heldBytes == 0)
      pool.give(again)
      let many = (0..<100).map { _ in pool.take(atLeast: TransportLimits.pooledBufferBytesMax) }
      for buffer in many { pool.give(buffer) }
      #expect(pool.heldBytes > TransportLimits.poolBytesMax / 2 && pool.heldBytes <= TransportLimits.poolBytesMax)
      let held = pool.heldBytes
      pool.give(pool.take(atLeast: TransportLimits.pooledBufferBytesMax + 1))
      #expect(pool.heldBytes == held, "a buffer beyond the largest class is not kept")
    }

    @Test func `a histogram's percentiles are those of the sorted values, up to a bucket's width`() {
      var generator = SeededGenerator(seed: 1)
      var histogram = Histogram()
      #expect(histogram.percentile(0.5) == 0)
      let values = (0..<5_000).map { _ in
        let bits = UInt64.random(in: 1...40, using: &generator)
        return UInt64.random(in: 0...1 << bits, using: &generator)
      }
      for value in values { histogram.record(value) }
      let sorted = values.sorted()
      for share in [0.01, 0.5, 0.9, 0.99, 1] {
        let exact = sorted[Int((Double(sorted.count) * share).rounded(.up)) - 1]
        let found = histogram.percentile(share)
        #expect(found >= exact && found <= exact + exact / 32 + 1, "\(share): \(found), \(exact)")
      }
      #expect(histogram.count == 5_000 && histogram.maximum == sorted.last)
      histogram.record(.max)
      #expect(histogram.percentile(1) == .max && histogram.occupied.last?.upperBound == .max)
    }

    @Test func `merged histograms are the histogram of all values`() {
      var (one, other, both) = (Histogram(), Histogram(), Histogram())
      for value in [3, 3, 70, 1_000, 5_000_000] as [UInt64] {
        one.record(value)
        both.record(value)
      }
      for value in [0, 70, 9_000_000_000] as [UInt64] {
        other.record(value, times: 2)
        for _ in 0..<2 { both.record(value) }
      }
      other.record(1 << 60, times: 0)
      var merged = Histogram()
      merged.merge(one)
      merged.merge(other)
      merged.merge(Histogram())
      #expect(merged == both && merged.count == 11 && merged.maximum == 9_000_000_000)
      #expect(merged.occupied.map(\.count) == [2, 2, 3, 1, 1, 2])
      #expect(
        merged.occupied.prefix(2).map(\.upperBound) == [0, 3] && merged.occupied.last?.upperBound == 9_000_000_000)
    }

    @Test func `a reused slot has another key, and connections are found after the table grows`() {
      let table = ConnectionTable(capacity: 1)
      let pool = BufferPool()
      let first = table.insert(10, .open)
      table.retire(first, pool)
      let other = table.insert(12, .open)
      #expect(other.slot != first.slot, "a retired slot is reused before it is recycled")
      table.recycle(first.slot)
      let second = table.insert(11, .open)
      #expect(second.slot == first.slot)
      #expect(table.find(first) == nil)
      #expect(table.find(second)?.pointee.descriptor == 11)
      #expect(table.find(ConnectionKey(slot: 999, generation: 1)) == nil)
      let more = (0..<500).map { table.insert($0, .open) }
      #expect(table.count == 502 && Set(table.keys) == Set(more + [second, other]))
      for (number, key) in more.enumerated() { #expect(table.find(key)?.pointee.descriptor == Int32(number)) }
      #expect(ConnectionKey(packed: more[77].packed) == more[77])
    }

    @Test func `deadlines expire in order and not early`() {
      var queue = DeadlineQueue(timeoutNanoseconds: 10)
      let keys = (0..<10).map { ConnectionKey(slot: $0, generation: 1) }
      for (number, key) in keys.enumerated() { queue.append(key, at: UInt64(number) * 10) }
      var got: [ConnectionKey] = []
      for now in 0..<50 as Range<UInt64> {
        while let key = queue.popFirst(dueAt: now) {
          #expect(UInt64(key.slot) * 10 + 10 == now)
          got.append(key)
        }
      }
      #expect(got == Array(keys[..<4]) && queue.first == 50)
    }

    @Test func `a system call is repeated, returns or throws`() throws {
      var calls = 0
      let value = try SystemCall.require("first") { () -> Int32 in
        calls += 1
        errno = EINTR
        return calls < 3 ? -1 : 7
      }
      #expect(value == 7 && calls == 3)
      let blocked = try SystemCall.attempt("second") { () -> Int in
        errno = EAGAIN
        return -1
      }
      guard case .wouldBlock = blocked else {
        Issue.record("\(blocked)")
        return
      }
      let failing = { () -> Int32 in
        errno = EBADF
        return -1
      }
      #expect(throws: SystemError(call: "third", errno: EBADF)) { try SystemCall.require("third", failing) }
      #expect(SystemError(call: "read", errno: ENOENT).description == "read: No such file or directory (errno 2)")
    }

    @Test func `clocks advance and the descriptor limit is raised`() {
      let before = (MonotonicClock.now(), ProcessorTime.ofThread())
      var sum = 0
      for number in 0..<200_000 { sum &+= number ^ sum }
      #expect(sum != 1)
      #expect(MonotonicClock.now() > before.0)
      #expect(ProcessorTime.ofThread() > before.1)
      let old = DescriptorLimit.current
      #expect(DescriptorLimit.raise() >= old)
      #expect(DescriptorLimit.current == DescriptorLimit.raise())
      // More than the limit is no error.
      for count in [-1, 0, 1, 700, Int.max] { DescriptorLimit.makeRoom(for: count) }
    }

    #if canImport(Glibc)
      /// In a process of its own, in which nothing else makes the table grow.
      @Test func `the kernel's table of descriptors grows to the requested size`() async {
        await #expect(processExitsWith: .success) {
          let count = min(2 * (try Self.descriptorTableSize()), DescriptorLimit.current)
          #expect(try Self.descriptorTableSize() < count)
          DescriptorLimit.makeRoom(for: count)
          #expect(try Self.descriptorTableSize() >= count)
          let last = fcntl(Int32(count - 1), F_GETFD)
          #expect(last == -1 && errno == EBADF, "no descriptor stays open")
        }
      }

      private static func descriptorTableSize() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("FDSize:") })
        return try #require(line.split(separator: "\t").last.flatMap { Int($0) })
      }
    #endif
  }
}
