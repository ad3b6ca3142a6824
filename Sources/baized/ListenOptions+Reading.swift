import BaizeCommandLine
import BaizeJournal
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// The configuration that the settings give.
extension ListenOptions {
  /// Reads the configuration from all settings. Has no effect on anything: the token of ``Creators/token`` is read, and its file
  /// created, by ``creation(_:)``.
  static func configuration(_ arguments: CommandLineArguments) throws -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.address = try address(arguments)
    configuration.http = try HTTPOptions.read(arguments)
    _ = try AdminOptions.address(arguments)
    configuration.tls = try TLSOptions.read(arguments)
    configuration.tokens = try TokenOptions.read(arguments)
    configuration.shardCount = try arguments.number("--shards", in: 1...ServerLimits.shardsMax) ?? standard.shardCount
    configuration.log = Log(
      try arguments.choice("--log-level", Log.Level.self) ?? .info,
      format: try arguments.choice("--log-format", Log.Format.self) ?? .text)
    configuration.isOpen = try isOpen(arguments)
    configuration.proxies = try ranges("--proxy-protocol", arguments)
    configuration.sharedAddresses = try ranges("--shared-address", arguments)
    _ = try creators(arguments)
    configuration.allowsSeeds = arguments.has("--allow-seeds")
    configuration.migratesTables = arguments.has("--migrate")
    configuration.limits.sessions.graceSeconds =
      try arguments.number("--grace", in: 0...864_000, "seconds") ?? standard.limits.sessions.graceSeconds
    configuration.expiry = try expiry(arguments)
    configuration.limits.tables.unloadSeconds =
      try arguments.number("--unload", in: 0...864_000, "seconds") ?? standard.limits.tables.unloadSeconds
    configuration.limits.tables.discardSeconds =
      try arguments.number("--discard", in: 0...31_536_000, "seconds") ?? standard.limits.tables.discardSeconds
    try LimitOption.apply(arguments, to: &configuration)
    configuration.durability = try arguments.choice("--durability", Durability.self) ?? standard.durability
    configuration.journal = try journal(arguments)
    configuration.node = try node(arguments, configuration)
    if configuration.node != nil {
      configuration.limits.connections.returnMilliseconds = SyncLimits.Connections.returnMillisecondsOfNode
    }
    configuration.keepRevisions =
      try arguments.number("--keep", in: 0...1_000_000_000_000, "revisions") ?? standard.keepRevisions
    if let directory = arguments.text("--types") {
      configuration.tableTypes = try TableTypeFile.library(with: directory)
    }
    return configuration
  }

  private static func address(_ arguments: CommandLineArguments) throws(CommandLineError) -> SocketAddress {
    do {
      return try SocketAddress(parsing: arguments.text("--listen") ?? listenStandard)
    } catch {
      throw arguments.mistake(in: "--listen", needed: "HOST:PORT (\(error))")
    }
  }

  private static func ranges(
    _ flag: String, _ arguments: CommandLineArguments
  ) throws(CommandLineError) -> [AddressRange] {
    var ranges: [AddressRange] = []
    for text in arguments.text(flag)?.split(separator: ",") ?? [] {
      guard let range = AddressRange(parsing: String(text)) else {
        throw arguments.mistake(in: flag, needed: "addresses such as 127.0.0.1 or 10.1.0.0/16")
      }
      ranges.append(range)
    }
    return ranges
  }

  private static func expiry(_ arguments: CommandLineArguments) throws(CommandLineError) -> ExpiryRule? {
    let days = try arguments.number("--expire", in: 1...36_500, "days")
    let isDryRun = arguments.has("--expire-dry-run")
    guard !isDryRun || days != nil else {
      throw arguments.mistake(in: "--expire-dry-run", needed: "'--expire DAYS' with it")
    }
    return days.map { ExpiryRule(days: $0, isDryRun: isDryRun) }
  }

  /// `nil` unless a setting decides. If both are set, the one that overrides the other does.
  private static func isOpen(_ arguments: CommandLineArguments) throws(CommandLineError) -> Bool? {
    guard arguments.has("--open") || arguments.has("--closed") else { return nil }
    guard arguments.has("--open"), arguments.has("--closed") else { return arguments.has("--open") }
    let ranks = (open: arguments.origin("--open")?.rank ?? 0, closed: arguments.origin("--closed")?.rank ?? 0)
    guard ranks.open != ranks.closed else { throw .exclusive("--open", "--closed") }
    return ranks.open > ranks.closed
  }

  private static func creators(_ arguments: CommandLineArguments) throws(CommandLineError) -> Creators {
    let creators = try arguments.choice("--create", Creators.self) ?? .anyone
    // A file that one setting names may be unused because another setting overrides that one.
    let isUnused = creators != .token && arguments.text("--create-token") != nil
    let ranks = ["--create-token", "--create"].map { arguments.origin($0)?.rank ?? -1 }
    guard !isUnused || ranks[0] < ranks[1] else {
      throw arguments.mistake(in: "--create-token", needed: "'--create token' with it")
    }
    return creators
  }

  /// Returns the right to create tables. Creates the file of the token if it is needed and missing.
  static func creation(_ arguments: CommandLineArguments) throws -> CreationRight {
    switch try creators(arguments) {
    case .anyone: .anyone
    case .token: .token(try TokenFile.token(in: arguments.text("--create-token") ?? TokenFile.standard))
    case .nobody: .nobody
    }
  }

  private static func node(
    _ arguments: CommandLineArguments, _ configuration: ServerConfiguration
  ) throws(CommandLineError) -> String? {
    guard let name = arguments.text("--node") else { return nil }
    guard JournalNode.isName(name) else {
      throw arguments.mistake(
        in: "--node", needed: "1 to \(JournalNode.nameBytesMax) letters, digits, points, hyphens and underscores")
    }
    guard configuration.journal == .postgres, configuration.durability == .strict else {
      throw arguments.mistake(in: "--node", needed: "'--journal postgresql' and '--durability strict' with it")
    }
    return name
  }

  private static func journal(_ arguments: CommandLineArguments) throws(CommandLineError) -> JournalConfiguration {
    let file = arguments.text("--journal")
    if file == "" { throw arguments.mistake(in: "--journal", needed: "a file name") }
    if file == inMemory { return .memory }
    switch JournalLocation(file ?? journalStandard) {
    case .file(let path): return .file(path)
    case .postgres: return .postgres
    }
  }
}
