import BaizeTable

extension Goodbye {
  init(_ bytes: ByteReader, from sender: Sender) throws(DecodeError) {
    var reader = bytes
    self.init(GoodbyeReason(rawValue: ""), isResumable: false)
    while let field = try reader.nextField() {
      switch field.number {
      case 1:
        let code = try reader.string(field, keeping: sender.limit(WireLimits.reasonBytesMax))
        reason = GoodbyeReason(rawValue: code)
      case 2: detail = try reader.string(field, keeping: sender.limit(WireLimits.detailBytesMax))
      case 3: isResumable = try reader.bool(field)
      case 4: retryAfterMilliseconds = try reader.uint32(field)
      case 5: redirect = try reader.string(field, keeping: sender.limit(WireLimits.redirectBytesMax))
      default: try reader.skip(field)
      }
    }
  }

  func encode(into writer: inout ByteWriter) {
    writer.string(1, reason.rawValue)
    writer.string(2, detail)
    writer.bool(3, isResumable)
    writer.uint32(4, retryAfterMilliseconds)
    writer.string(5, redirect)
  }
}
