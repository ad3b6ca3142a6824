/// The bounds of one table and one operation.
public enum TableLimits {
  /// Items that one operation may name or make.
  public static let itemsPerOperationMax = 1_000
  /// Items on one table.
  public static let itemsPerTableMax = 2_000_000
  /// Attributes on one item.
  public static let attributesPerItemMax = 64
  /// How many revisions back the base of an operation may lie.
  public static let historyRevisionsMax = 1_024
  /// How many taken-out items the history keeps, whatever the number of revisions.
  public static let historyTakeOutsMax = 65_536
  /// How many notes are kept on items that one author's unanswered operations named.
  public static let memoryEntriesMax = 4_096
  /// How many ids are remembered of what one author's unanswered operations made.
  public static let memoryItemsMadeMax = 65_536
}
