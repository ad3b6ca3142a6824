/// The type that a table has with the present document of its type.
public struct PresentType: Sendable {
  /// The type, with the table's options.
  public let type: TableType
  /// The type as a creator of the table would name it now, such as `klondike?draw=3`.
  public let text: String
  /// The table's options that the document does not permit; the type has their defaults.
  public let obstacles: [MigrationObstacle]

  /// Creates the type of a table.
  public init(_ type: TableType, text: String, obstacles: [MigrationObstacle] = []) {
    self.type = type
    self.text = text
    self.obstacles = obstacles
  }
}
