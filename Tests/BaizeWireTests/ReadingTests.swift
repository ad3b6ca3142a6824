import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// Messages that are not in canonical form, and what they are read as: `Protocol/vectors/readings.json`.
@Suite(.serialized) struct ReadingTests {
  struct Readings: Decodable {
    let cases: [Reading]
  }

  struct Reading: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let says: String
    let direction: String
    let bytes: String
    let same: String?
    let error: String?
    let refused: String?

    var testDescription: String { "\(id): \(says)" }
  }

  static func readings() throws -> [Reading] {
    try Repository.decode("Protocol/vectors/readings.json", as: Readings.self).cases
  }

  @Test(arguments: try readings()) func `F3, F4: a message is read as the vector says`(_ reading: Reading) throws {
    if reading.direction == "client" {
      try check(reading, as: ClientMessage.self)
    } else {
      try check(reading, as: ServerMessage.self)
    }
  }

  private func check<Message: WireMessage>(_ reading: Reading, as type: Message.Type) throws {
    let bytes = [UInt8](hex: reading.bytes)
    do throws(DecodeError) {
      let message = try Message(decoding: bytes)
      if let reason = reading.refused {
        guard case .operation(let operation)? = message as? ClientMessage else {
          Issue.record("\(message)")
          return
        }
        #expect(operation.sequence.rawValue == 7 && operation.kind.defect?.refusal.reason.rawValue == reason)
      } else {
        #expect(message.encoded().hex == reading.same)
      }
    } catch {
      #expect(error.goodbyeReason.rawValue == reading.error, "\(error)")
    }
  }
}
