import BaizeWire

/// A client's message is refused, or it is the same after encoding and decoding.
enum ClientMessagesTarget {
  static func run(_ input: [UInt8]) -> Bool {
    guard let message = try? ClientMessage(decoding: input) else { return false }
    let canonical = message.encoded()
    let again = try? ClientMessage(decoding: canonical)
    hold(again == message, "\(message) comes back as \(String(describing: again))")
    hold(again?.encoded() == canonical, "\(message) has two canonical forms")
    return true
  }
}

/// The same for a daemon's message.
enum ServerMessagesTarget {
  static func run(_ input: [UInt8]) -> Bool {
    guard let message = try? ServerMessage(decoding: input) else { return false }
    let canonical = message.encoded()
    let again = try? ServerMessage(decoding: canonical)
    hold(again == message, "\(message) comes back as \(String(describing: again))")
    hold(again?.encoded() == canonical, "\(message) has two canonical forms")
    return true
  }
}
