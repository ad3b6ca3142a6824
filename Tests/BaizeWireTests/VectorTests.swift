import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// The codec compared with Google's, byte for byte.
@Suite(.dedicatedThreads) struct VectorTests {
  @Test func `every vector has a sample, and every sample a vector`() {
    #expect(Set(Vector.client.map(\.name)) == Set(Samples.client.keys))
    #expect(Set(Vector.server.map(\.name)) == Set(Samples.server.keys))
    #expect(Vector.all.count == Samples.client.count + Samples.server.count)
  }

  @Test(arguments: Vector.client) func `a client message equals its vector both ways`(_ vector: Vector) throws {
    try check(vector, #require(Samples.client[vector.name]))
  }

  @Test(arguments: Vector.server) func `a server message equals its vector both ways`(_ vector: Vector) throws {
    try check(vector, #require(Samples.server[vector.name]))
  }

  private func check<Message: WireMessage>(_ vector: Vector, _ sample: Message) throws {
    #expect(sample.encoded().hex == vector.bytes.hex)
    #expect(sample.framed().hex == vector.frame.hex)
    #expect(try Message(decoding: vector.bytes) == sample)
  }
}
