import BaizeCommandLine
import BaizeServer
import BaizeTable

/// The limits of `baized` that have a flag: one place for what the help says, what is taken, and what it sets.
///
/// Each has a row in `Protocol/README.md`, "Limits", with what who runs into it is told.
struct LimitOption {
  let option: CommandOption
  /// Sets the limit where its flag is given.
  let apply: (CommandLineArguments, inout ServerConfiguration) throws(CommandLineError) -> Void

  /// A number at a place of the configuration.
  ///
  /// - Parameters:
  ///   - unit: What is counted; it is the flag's placeholder, too, if there is one.
  ///   - standard: What holds without the flag, where that is more than the number.
  private init<Number: FixedWidthInteger>(
    _ flag: String, _ path: WritableKeyPath<ServerConfiguration, Number>, in range: ClosedRange<Number>,
    unit: String = "", standard: String? = nil, _ help: String
  ) {
    let placeholder = unit.isEmpty ? "N" : unit.uppercased()
    option = CommandOption(
      flag, placeholder, help, standard: standard ?? "\(ServerConfiguration()[keyPath: path])")
    apply = { arguments, configuration throws(CommandLineError) in
      if let number = try arguments.number(flag, in: range, unit) { configuration[keyPath: path] = number }
    }
  }

  private init(
    _ option: CommandOption,
    apply: @escaping (CommandLineArguments, inout ServerConfiguration) throws(CommandLineError) -> Void
  ) {
    self.option = option
    self.apply = apply
  }

  private static let many = 1...10_000_000
  /// Any hello fits, and what a frame brings fits into one of the daemon's.
  private static let frameBytes = 4 << 10...WireLimits.serverFrameBytesMax / 2
  /// A shorter queue is nothing to be slow about.
  private static let queueBytes = SyncLimits().outboxResumeBytes...1 << 30
  private static let contentBytes = 1 << 16...1 << 40
  private static let seconds = 1...86_400 as ClosedRange<UInt64>
  private static let perSecond = 0...1_000_000_000 as ClosedRange<UInt64>

  /// In the order of the help: connections, sessions, tables.
  static var all: [LimitOption] { connections + sessions + tables }

  private static var connections: [LimitOption] {
    [
      LimitOption("--connections-max", \.connectionsMax, in: many, "Connections in all."),
      LimitOption(
        CommandOption(
          "--connections-per-address-max", "N",
          "Connections from one address; an IPv6 address counts as its /64. Where it is given, this machine counts too.",
          standard: "\(ServerLimits.connectionsPerAddressMax), and no limit for this machine")
      ) { arguments, configuration throws(CommandLineError) in
        configuration.connectionsPerAddressMax =
          try arguments.number("--connections-per-address-max", in: many) ?? configuration.connectionsPerAddressMax
      },
      LimitOption(
        "--handshake", \.limits.handshakeSeconds, in: seconds, unit: "seconds",
        "How long a connection may take to say hello."),
      LimitOption(
        "--heartbeat", \.limits.heartbeatSeconds, in: seconds, unit: "seconds",
        "How often clients give a sign of life; one that is silent for three times that is let go."),
      LimitOption(
        "--stalled", \.limits.stalledSeconds, in: seconds, unit: "seconds",
        "How long a connection may read nothing of what waits for it."),
      LimitOption(
        "--frame-bytes-max", \.limits.frameBytesMax, in: frameBytes, unit: "bytes",
        "The longest frame that a client may send."),
      LimitOption(
        "--outbox-soft", \.limits.outboxSoftBytes, in: queueBytes, unit: "bytes",
        "Unread bytes of a connection from which drag movements are left out."),
      LimitOption(
        "--outbox-hard", \.limits.outboxHardBytes, in: queueBytes, unit: "bytes",
        "Unread bytes of a connection from which a snapshot will replace what is left out."),
    ]
  }

  private static var sessions: [LimitOption] {
    [
      LimitOption(
        "--operations-per-second-max", \.limits.operationsPerSecondMax, in: perSecond,
        "Operations per second of one session, as a mean; 0 for no limit."),
      LimitOption(
        "--operations-burst-max", \.limits.operationsBurstMax, in: 1...1_000_000_000,
        standard: "as many as per second", "Operations of one session that may come at once beyond the mean."),
      LimitOption(
        "--pending-operations-max", \.limits.pendingOperationsMax, in: 1...4_096,
        "Operations of one session without an answer; as many answers are remembered."),
      LimitOption(
        "--drags-per-second-max", \.limits.dragsPerSecondMax, in: perSecond,
        "Drags that one session may begin per second, and at once; 0 for no limit."),
      LimitOption(
        "--drag-moves-per-second-max", \.limits.dragMovesPerSecondMax, in: perSecond,
        "Drag movements per second of one session that are passed on; 0 for no limit."),
    ]
  }

  private static var tables: [LimitOption] {
    [
      LimitOption(
        "--tables-per-shard-max", \.limits.tablesPerShardMax, in: many, "Tables in memory, for each of --shards."),
      LimitOption(
        "--sessions-per-table-max", \.limits.sessionsPerTableMax, in: many, "Sessions that a table remembers."),
      LimitOption(
        "--content-bytes-per-table-max", \.limits.contentBytesPerTableMax, in: contentBytes, unit: "bytes",
        "What lies on a table: its items, their texts and data."),
      LimitOption(
        "--content-bytes-per-shard-max", \.limits.contentBytesPerShardMax, in: contentBytes, unit: "bytes",
        "The same of all tables in memory, for each of --shards."),
      LimitOption(
        "--items-per-table-max", \.limits.itemsPerTableMax, in: 1...TableLimits.itemsPerTableMax, "Items on a table."),
      LimitOption(
        "--items-per-operation-max", \.limits.itemsPerOperationMax, in: 1...TableLimits.itemsPerOperationMax,
        "Items that one operation may name or bring."),
      LimitOption(
        "--snapshot-part-items", \.limits.snapshotPartItemsMax, in: 1...100_000, "Items in a part of a snapshot."),
      LimitOption(
        "--snapshot-part-bytes", \.limits.snapshotPartBytesMax, in: 1 << 10...1 << 20, unit: "bytes",
        "Bytes in a part of a snapshot, about; one item is never divided."),
    ]
  }

  /// What the flags make of a configuration.
  static func apply(
    _ arguments: CommandLineArguments, to configuration: inout ServerConfiguration
  ) throws(CommandLineError) {
    for limit in all { try limit.apply(arguments, &configuration) }
    if !arguments.has("--operations-burst-max") {
      configuration.limits.operationsBurstMax = max(1, configuration.limits.operationsPerSecondMax)
    }
  }
}
