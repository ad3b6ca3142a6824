public import BaizeTable

/// A short message to everyone at a table. Never part of the state, and not kept.
public struct Chat: Hashable, Sendable {
  /// The session that sent it; set by the daemon.
  public var session: SessionID
  /// The kind of message, such as `emote`, at most `WireLimits.chatKindBytesMax` bytes; empty for a text for people.
  public var kind: String
  /// The text, at most `WireLimits.chatTextBytesMax` bytes. Other participants write it: escape it where it is printed.
  public var text: String
  /// To the author: the reason why nobody received it; `nil` if everyone did.
  public var refusal: Reason?

  /// Creates a message.
  public init(session: SessionID = .daemon, kind: String = "", text: String, refusal: Reason? = nil) {
    self.session = session
    self.kind = kind
    self.text = text
    self.refusal = refusal
  }
}
