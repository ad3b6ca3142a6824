/// How much the wire carries at most.
///
/// A client message that breaks one of these is a ``DecodeError`` and ends its connection, with two exceptions.
/// Too many items in an operation are legal here, so that the operation can be refused with `TOO_MANY_ITEMS`; and a
/// drag, which is only for show, just loses what is beyond the limit. What the daemon sends is bounded by the size of
/// its frames alone.
public enum Limits {
  // MARK: Frames. Their length does not count.

  /// A frame from a client to the daemon, unless the daemon was told otherwise.
  public static let frameBytesMax = 1 << 20
  /// A frame from the daemon to a client.
  public static let serverFrameBytesMax = 4 << 20

  // MARK: Items

  /// How many items an operation may name or bring. At most `ItemID.provisionalNumbersMax`, so that each can be named.
  public static let operationItemsMax = 1_000
  /// How many items of a drag are looked at.
  public static let dragItemsMax = operationItemsMax
  public static let itemAttributesMax = 64
  public static let itemRepresentationsMax = 16

  // MARK: Texts, as UTF-8

  public static let attributeNameBytesMax = 64
  public static let attributeTextBytesMax = 16 << 10
  public static let contentTypeBytesMax = 128
  public static let actionBytesMax = 64

  public static let tableBytesMax = 64
  public static let tableTypeBytesMax = 1 << 10
  public static let nameBytesMax = 64
  public static let inviteBytesMax = 128
  public static let resumeTokenBytesMax = 128

  public static let formationBytesMax = 64
  public static let reasonBytesMax = 64
  public static let detailBytesMax = 1 << 10
  public static let redirectBytesMax = 256
}
