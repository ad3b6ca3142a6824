import BaizeTable

extension Seat {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(number: .spectator, name: "", person: .daemon)
    while let field = try reader.nextField() {
      switch field.number {
      case 1: number = SeatNumber(rawValue: try reader.uint32(field))
      case 2: name = try reader.string(field)
      case 3: isConnected = try reader.bool(field)
      case 4: person = SessionID(rawValue: try reader.counter(field))
      case 5: isAbsent = try reader.bool(field)
      case 6: try reader.uint64s(field) { otherSessions.append(SessionID(rawValue: $0)) }
      default: try reader.skip(field)
      }
    }
  }
}

extension [Seat] {
  /// Decodes the message `Seats`.
  init(_ bytes: ByteReader) throws(DecodeError) {
    var seats: [Seat] = []
    try bytes.forEachFirst { (reader, field) throws(DecodeError) in seats.append(try Seat(reader.message(field))) }
    self = seats
  }
}

extension ByteWriter {
  mutating func seats(_ number: UInt8, _ seats: [Seat]) {
    for seat in seats {
      message(number) {
        $0.uint32(1, seat.number.rawValue)
        $0.string(2, seat.name)
        $0.bool(3, seat.isConnected)
        $0.uint64(4, seat.person.rawValue)
        $0.bool(5, seat.isAbsent)
        for session in seat.otherSessions { $0.presentUInt64(6, session.rawValue) }
      }
    }
  }
}
