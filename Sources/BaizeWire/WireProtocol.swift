/// What both sides of the wire must agree on before a word is said.
public enum WireProtocol {
  /// The version that this code speaks.
  public static let version: UInt32 = 1
}
