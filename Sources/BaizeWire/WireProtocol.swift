/// What both sides of the wire must agree on before the first message.
public enum WireProtocol {
  /// The protocol version of this code.
  public static let version: UInt32 = 1
}
