/// The bounds of signed tokens. The unit is the last word of a name.
public enum TokenLimits {
  /// The maximum time between the present and the end of a token.
  public static let lifetimeSecondsMax: Int64 = 86_400
  /// The difference that is allowed between the clocks of the issuer and of the daemon.
  public static let leewaySeconds: Int64 = 30
  /// The maximum time for which a token that is accepted now will be.
  public static let validSecondsMax = lifetimeSecondsMax + 2 * leewaySeconds
  /// The minimum length of a secret for HS256.
  static let secretBytesMin = 32
  /// The maximum length of such a secret.
  static let secretBytesMax = 1_024
  /// The lengths of RSA keys.
  static let modulusBits = 2_048...8_192
  /// The maximum number of keys, each of which may have to be tried.
  static let keysMax = 16
  /// The maximum size of a file of keys.
  static let fileBytesMax = 256 << 10
  /// The maximum length of a key's id.
  static let keyIDBytesMax = 255
  /// The maximum length of an issuer, an audience, a subject or a token's id.
  public static let claimBytesMax = 255
  /// The maximum number of patterns in a token.
  static let patternsMax = 64
}
