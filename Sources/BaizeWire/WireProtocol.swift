/// The constants of the wire protocol that both sides need before the first message.
public enum WireProtocol {
  /// The protocol version of this code.
  public static let version: UInt32 = 1
}
