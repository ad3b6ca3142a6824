import BaizeTransport
import TestSupport
import Testing

@Suite struct PromiseTests {
  @Test(.hangGuard) func `every waiter gets the first value`() async throws {
    let promise = Promise<Int>()
    let early = Task { try await promise.value() }
    let patient = Task { await promise.valueDespiteCancellation() }
    promise.resolve(1)
    promise.resolve(2)
    #expect(try await early.value == 1)
    #expect(await patient.value == 1)
    #expect(try await promise.value() == 1)
    #expect(await Promise(3).valueDespiteCancellation() == 3)
  }

  @Test(.hangGuard) func `a wait ends with its task unless it ignores cancellation`() async {
    let promise = Promise<Int>()
    let impatient = Task { try await promise.value() }
    let patient = Task { await promise.valueDespiteCancellation() }
    impatient.cancel()
    patient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    promise.resolve(1)
    #expect(await patient.value == 1)
  }
}
