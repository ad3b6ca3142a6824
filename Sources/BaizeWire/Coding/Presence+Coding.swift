import BaizeTable

extension Presence {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(value: [])
    while let field = try reader.nextField() {
      switch field.number {
      case 1: session = SessionID(rawValue: try reader.uint64(field))
      case 2: value = try reader.bytes(field)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, session.rawValue)
    writer.bytes(2, value)
  }
}

extension Chat {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init(text: "")
    while let field = try reader.nextField() {
      switch field.number {
      case 1: session = SessionID(rawValue: try reader.uint64(field))
      case 2: kind = try reader.string(field)
      case 3: text = try reader.string(field)
      case 4:
        let code = try reader.string(field)
        refusal = code.isEmpty ? nil : Reason(rawValue: code)
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint64(1, session.rawValue)
    writer.string(2, kind)
    writer.string(3, text)
    if let refusal { writer.string(4, refusal.rawValue) }
  }
}

extension Watching {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init()
    while let field = try reader.nextField() {
      switch field.number {
      case 1: count = try reader.uint32(field)
      case 2: try reader.uint64s(field) { asking.append(SessionID(rawValue: $0)) }
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint32(1, count)
    if !asking.isEmpty { writer.message(2) { for session in asking { $0.varint(session.rawValue) } } }
  }
}

extension Countdown {
  init(_ bytes: ByteReader) throws(DecodeError) {
    var reader = bytes
    self.init()
    while let field = try reader.nextField() {
      switch field.number {
      case 1: turnMilliseconds = try reader.uint32(field)
      case 2: tableMilliseconds = try reader.uint32(field)
      case 3: isTurnUp = try reader.bool(field)
      case 4: isTableUp = try reader.bool(field)
      case 5: seat = SeatNumber(rawValue: try reader.uint32(field))
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint32(1, turnMilliseconds)
    writer.uint32(2, tableMilliseconds)
    writer.bool(3, isTurnUp)
    writer.bool(4, isTableUp)
    writer.uint32(5, seat.rawValue)
  }
}
