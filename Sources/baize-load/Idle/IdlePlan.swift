import BaizeWire

/// The tables and roles of an idle crowd.
struct IdlePlan {
  var connections = 15_000
  /// `nil` for as many as needed for ``playersPerTableMax`` at each.
  var tables: Int?
  var tableType = "grid"

  /// The same number as at the tables of `baize-load`.
  static let playersPerTableMax = 4
  /// The approximate number of ports for outgoing connections of one address.
  static let connectionsMax = 28_000
  /// The maximum number of descriptors that either program needs besides those of connections.
  static let descriptorReserve = 512

  var tableCount: Int {
    tables ?? (connections + Self.playersPerTableMax - 1) / Self.playersPerTableMax
  }

  /// The hello of a connection.
  func hello(_ number: Int) -> Hello {
    let isPlayer = number / tableCount < Self.playersPerTableMax
    return Hello(
      table: "idle-\(number % tableCount)", tableType: tableType, name: "idle",
      role: isPlayer ? .player : .spectator)
  }

  /// The reason why the connections need too many descriptors; `nil` if they do not.
  func complaint(descriptors: Int) -> String? {
    guard connections + Self.descriptorReserve > descriptors else { return nil }
    return "\(connections) connections need \(connections + Self.descriptorReserve) descriptors, and the system grants "
      + "\(descriptors) (ulimit -Hn): --connections \(max(0, descriptors - Self.descriptorReserve)) would do"
  }
}
