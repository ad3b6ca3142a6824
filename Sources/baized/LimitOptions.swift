import BaizeCommandLine
import BaizeServer
import BaizeTable

/// A limit of `baized` with a flag: its help, its range and the setting it changes.
///
/// Each limit has a row in `Protocol/limits.md`, which says what happens at the limit.
struct LimitOption {
  let option: CommandOption
  /// Changes the setting if the flag is given.
  let apply: (CommandLineArguments, inout ServerConfiguration) throws(CommandLineError) -> Void

  /// Creates an option for a number in the configuration.
  ///
  /// - Parameters:
  ///   - unit: The unit, which also names the flag's placeholder.
  ///   - standard: The description of the default, if it is not just the number.
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
  /// Large enough for any hello. A larger frame than the default has no legal operation.
  private static let frameBytes = 4 << 10...WireLimits.frameBytesMax
  /// A lower limit would be below the low-water mark at which a snapshot resumes.
  private static let queueBytes = SyncLimits().connections.outboxResumeBytes...1 << 30
  private static let contentBytes = 1 << 16...1 << 40
  private static let seconds = 1...86_400 as ClosedRange<UInt64>
  private static let perSecond = 0...1_000_000_000 as ClosedRange<UInt64>

  /// All limits in the order of the help.
  static var all: [LimitOption] { [memory] + connections + sessions + tables + journal }

  private static var memory: LimitOption {
    LimitOption(
      CommandOption(
        "--memory-max", "BYTES",
        "The memory that clients may take, as far as it is counted. From 75 % on new tables are refused, from 85 % on history "
          + "and idle tables are given up, from 95 % on those that use most are disconnected.",
        standard: "75 % of the memory of the machine or of its control group")
    ) { arguments, configuration throws(CommandLineError) in
      configuration.memoryBytesMax =
        try arguments.number("--memory-max", in: 16 << 20...1 << 46, "bytes") ?? configuration.memoryBytesMax
    }
  }

  private static var connections: [LimitOption] {
    [
      LimitOption("--connections-max", \.connectionsMax, in: many, "Connections to tables in total."),
      LimitOption(
        CommandOption(
          "--connections-per-address-max", "N",
          "Connections from one address; an IPv6 address counts as its /64. If given, it also applies to this machine.",
          standard: "\(ServerLimits.connectionsPerAddressMax), and no limit for this machine")
      ) { arguments, configuration throws(CommandLineError) in
        configuration.connectionsPerAddressMax =
          try arguments.number("--connections-per-address-max", in: many) ?? configuration.connectionsPerAddressMax
      },
      LimitOption(
        "--tls-handshakes-per-second-max", \.tlsHandshakesPerSecondMax, in: many,
        "Handshakes of TLS in a second; further ones wait."),
      LimitOption(
        CommandOption(
          "--tls-handshakes-per-address-max", "N",
          "Handshakes of TLS in a second with one address; further ones wait. If given, it also applies to this machine.",
          standard: "\(ServerLimits.tlsHandshakesPerAddressMax), and no limit for this machine")
      ) { arguments, configuration throws(CommandLineError) in
        configuration.tlsHandshakesPerAddressMax =
          try arguments.number("--tls-handshakes-per-address-max", in: many) ?? configuration.tlsHandshakesPerAddressMax
      },
      LimitOption(
        "--handshake", \.limits.connections.handshakeSeconds, in: seconds, unit: "seconds",
        "The time within which a connection must send its hello."),
      LimitOption(
        "--heartbeat", \.limits.connections.heartbeatSeconds, in: seconds, unit: "seconds",
        "The interval at which clients send a heartbeat; a client silent for three intervals is disconnected."),
      LimitOption(
        "--stalled", \.limits.connections.stalledSeconds, in: seconds, unit: "seconds",
        "The time within which a client with queued bytes must read all of them, or at least 16 KiB."),
      LimitOption(
        "--frame-bytes-max", \.limits.connections.frameBytesMax, in: frameBytes, unit: "bytes",
        "The maximum length of a frame from a client."),
      LimitOption(
        "--outbox-soft", \.limits.connections.outboxSoftBytes, in: queueBytes, unit: "bytes",
        "Unread bytes of a connection from which drag movements and messages are dropped, and values of presence wait."),
      LimitOption(
        "--outbox-hard", \.limits.connections.outboxHardBytes, in: queueBytes, unit: "bytes",
        "Unread bytes of a connection from which diffs are dropped, to be replaced by a snapshot."),
    ]
  }

  private static var sessions: [LimitOption] {
    [
      LimitOption(
        "--seat-kept-max", \.limits.sessions.seatKeptSecondsMax, in: 0...31_536_000, unit: "seconds",
        "The time for which a seat is kept for a player who is away, where the table type does not say less; 0 for the grace "
          + "time."),
      LimitOption(
        "--operations-per-second-max", \.limits.sessions.operationsPerSecondMax, in: perSecond,
        "Operations per second of one session on average; 0 for no limit."),
      LimitOption(
        "--operations-burst-max", \.limits.sessions.operationsBurstMax, in: 1...1_000_000_000,
        standard: "as many as per second", "Operations of one session that may exceed the average at once."),
      LimitOption(
        "--pending-operations-max", \.limits.sessions.pendingOperationsMax, in: 1...4_096,
        "Pending operations of one session; as many answers are remembered."),
      LimitOption(
        "--drags-per-second-max", \.limits.sessions.dragsPerSecondMax, in: perSecond,
        "Drags that one session may begin per second, and in a burst; 0 for no limit."),
      LimitOption(
        "--drag-moves-per-second-max", \.limits.sessions.dragMovesPerSecondMax, in: perSecond,
        "Drag movements per second of one session that are relayed; 0 for no limit."),
      LimitOption(
        "--presences-per-second-max", \.limits.sessions.presencesPerSecondMax, in: perSecond,
        "Values of presence per second of one session that are relayed at once; 0 for no limit."),
      LimitOption(
        "--chats-per-second-max", \.limits.sessions.chatsPerSecondMax, in: perSecond,
        "Messages to the table per second of one session on average; 0 for no limit."),
    ]
  }

  private static var tables: [LimitOption] {
    [
      LimitOption(
        "--tables-per-shard-max", \.limits.tables.tablesPerShardMax, in: many, "Tables in memory, per shard."),
      LimitOption(
        "--tables-per-address-max", \.limits.tables.tablesPerAddressMax, in: many,
        "Tables in memory that clients of one address created, per shard; an IPv6 address counts as its /64."),
      LimitOption(
        "--tables-per-second-max", \.limits.tables.tablesPerSecondMax, in: perSecond,
        "Tables per second that clients of one address may create on average, per shard; 0 for no limit."),
      LimitOption(
        "--tables-burst-max", \.limits.tables.tablesBurstMax, in: 1...1_000_000,
        "Tables of one address that may exceed the average at once."),
      LimitOption(
        "--sessions-per-table-max", \.limits.sessions.sessionsPerTableMax, in: many, "Sessions remembered per table."),
      LimitOption(
        "--content-bytes-per-table-max", \.limits.tables.contentBytesPerTableMax, in: contentBytes, unit: "bytes",
        "The size of a table's contents: its items with their attributes and representations."),
      LimitOption(
        "--content-bytes-per-shard-max", \.limits.tables.contentBytesPerShardMax, in: contentBytes, unit: "bytes",
        "The size of the contents of all tables in memory, per shard."),
      LimitOption(
        "--items-per-table-max", \.limits.tables.itemsPerTableMax, in: 1...TableLimits.itemsPerTableMax,
        "Items on a table."),
      LimitOption(
        "--items-per-operation-max", \.limits.tables.itemsPerOperationMax, in: 1...TableLimits.itemsPerOperationMax,
        "Items that one operation may name or insert."),
      LimitOption(
        "--snapshot-part-items", \.limits.tables.snapshotPartItemsMax, in: 1...100_000, "Items in a part of a snapshot."
      ),
      LimitOption(
        "--snapshot-part-bytes", \.limits.tables.snapshotPartBytesMax, in: 1 << 10...1 << 20, unit: "bytes",
        "Approximate bytes in a part of a snapshot; an item is never split."),
    ]
  }

  private static let journalBytes = 1 << 16...1 << 46

  private static var journal: [LimitOption] {
    [
      LimitOption(
        "--journal-bytes-max", \.limits.journal.bytesMax, in: journalBytes, unit: "bytes",
        "The size of the journal's file, without unused pages."),
      LimitOption(
        CommandOption(
          "--journal-reserve", "BYTES", "The free space that the journal leaves on its disk.",
          standard: "\(ServerLimits.journalReserveBytes), or a hundredth of the file system if that is less")
      ) { arguments, configuration throws(CommandLineError) in
        configuration.limits.journal.reserveBytes =
          try arguments.number("--journal-reserve", in: 0...1 << 46, "bytes")
          ?? configuration.limits.journal.reserveBytes
      },
      LimitOption(
        "--journal-bytes-per-table-max", \.limits.journal.bytesPerTableMax, in: journalBytes, unit: "bytes",
        "The size of a table's history in the journal from which older history is deleted, whatever --keep says."),
      LimitOption(
        "--journal-bytes-per-address-max", \.limits.journal.bytesPerAddressMax, in: journalBytes, unit: "bytes",
        "The bytes that clients of one address may have written to the journal within a day, per shard."),
    ]
  }

  /// The limits that a running daemon keeps: clients know them, or memory was reserved by them.
  private static let fixed: Set<String> = [
    "--memory-max", "--connections-max", "--connections-per-address-max", "--tls-handshakes-per-second-max",
    "--tls-handshakes-per-address-max", "--heartbeat", "--frame-bytes-max", "--outbox-hard", "--pending-operations-max",
  ]

  /// Returns whether SIGHUP changes the setting of a running daemon.
  static func isReloaded(_ flag: String) -> Bool {
    ["--types", "--grace", "--unload", "--discard"].contains(flag)
      || all.contains { $0.option.flag == flag } && !fixed.contains(flag)
  }

  static func apply(
    _ arguments: CommandLineArguments, to configuration: inout ServerConfiguration
  ) throws(CommandLineError) {
    for limit in all { try limit.apply(arguments, &configuration) }
    if !arguments.has("--operations-burst-max") {
      configuration.limits.sessions.operationsBurstMax = max(1, configuration.limits.sessions.operationsPerSecondMax)
    }
  }
}
