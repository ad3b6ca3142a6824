import BaizeClient
import BaizeTable
import Observation

/// A shared board with three columns of cards. It knows no SwiftUI.
@MainActor @Observable
public final class Board {
  public let table: TableModel

  public init(
    joining name: String, at address: String, as member: String, timeout: Duration = .seconds(10)
  ) async throws {
    let configuration = ClientConfiguration(table: name, tableType: "kanban?columns=fixed", name: member)
    table = try await TableModel.join(address, configuration, timeout: timeout)
  }

  public var columns: [CollectionModel] { table.collections }

  public static func title(of card: Item) -> String { card.face.plainText ?? "" }

  /// Adds a card at the end of the first column.
  @discardableResult
  public func add(_ title: String) -> Submission {
    table.insert([NewItem(attributes: [Attribute("title", title)])], in: columns[0].id)
  }

  public func remove(_ card: Item) { table.remove([card.id]) }

  /// Freezes a column, or thaws it: the host's right.
  public func toggle(_ column: CollectionModel) {
    table.perform(column.isEnabled ? HostAction.freeze(column.handle) : .thaw(column.handle))
  }
}
