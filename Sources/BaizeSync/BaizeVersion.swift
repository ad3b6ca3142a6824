/// The version of this software; the protocol has its own.
public enum BaizeVersion {
  public static let text = "0.1.0"
}
