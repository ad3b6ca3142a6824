/// The version of this software. The protocol has a version of its own.
public enum BaizeVersion {
  /// The version as text, such as `0.1.0`.
  public static let text = "0.1.0"
}
