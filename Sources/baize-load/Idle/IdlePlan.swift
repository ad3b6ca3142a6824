import BaizeWire

/// The tables and roles of an idle crowd.
struct IdlePlan {
  var connections = 15_000
  /// `nil` for as many as it takes to have ``playersPerTableMax`` at each.
  var tables: Int?
  var tableType = "grid"

  /// As at the tables of `baize-load`.
  static let playersPerTableMax = 4
  /// An address of this machine has about so many ports to call from.
  static let connectionsMax = 28_000
  /// Descriptors that either program needs besides those of connections, at most.
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

  /// Why so many connections cannot be made with so many descriptors; `nil` if they can.
  func complaint(descriptors: Int) -> String? {
    guard connections + Self.descriptorReserve > descriptors else { return nil }
    return "\(connections) connections need \(connections + Self.descriptorReserve) descriptors, and the system grants "
      + "\(descriptors) (ulimit -Hn): --connections \(max(0, descriptors - Self.descriptorReserve)) would do"
  }
}
