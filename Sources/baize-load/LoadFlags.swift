import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import Foundation

/// The options that several commands have.
enum LoadFlags {
  private static let standard = LoadOptions()
  static let connect = CommandOption("--connect", "HOST:PORT", "The daemon's address.", standard: "\(standard.address)")
  static let websocket = CommandOption(
    "--websocket", nil, "Connects by WebSocket: the address is the daemon's HTTP address.")
  static let tables = NumberOption(
    "--tables", "T", "The number of tables.", in: 1...10_000, standard: standard.tables)
  static let players = NumberOption(
    "--players", "P", "The number of players at each table.", in: 1...64, standard: standard.players)
  static let spectators = NumberOption(
    "--spectators", "S", "The number of spectators at each table.", in: 0...1_000, standard: standard.spectators)
  static let type = CommandOption(
    "--type", "TYPE", "The tables' type, with options after '?'.", standard: standard.tableType)
  static let seed = CommandOption("--seed", "S", "The seed of the players' choices.", standard: "\(standard.seed)")
  static let seconds = NumberOption(
    "--seconds", "N", "The duration of the measurement, after a warm-up of one second.", in: 1...86_400, "seconds",
    standard: Int(standard.seconds))
  static let late = CommandOption(
    "--late-max", "PERCENT",
    "The share of the plan that the generator may be late with, at most: above it the exit code is \(LoadExit.late.rawValue).",
    standard: "\(Int(LoadOptions.lateShareMax * 100))")
  static let json = CommandOption("--json", "FILE", "Also writes the result to a file, as JSON.")
  static let quiet = CommandOption("--quiet", nil, "Prints no line per second.")

  static let objective = objective(standard: "none")
  /// Without a default: it has to be given.
  static let requiredObjective = objective(standard: nil)

  private static func objective(standard: String?) -> CommandOption {
    CommandOption(
      "--slo", "CONDITIONS",
      "The objective: conditions with commas between them, as 'seen.p99 < 20ms, corrections < 1%, lost == 0'.",
      standard: standard)
  }

  static let objectiveNote =
    "Conditions compare a measure with a bound, by <, <=, ==, >= or >. Measures are \(Objective.Measure.names)."

  /// The options of a run that say whom it has join where.
  static let joining = Command.Section(
    "Tables", [connect, websocket, tables.option, players.option, spectators.option, type, seed])

  /// Reads the options of ``joining``.
  static func options(_ parsed: CommandLineArguments) throws -> LoadOptions {
    var options = LoadOptions()
    options.isPunctual = true
    if let text = parsed.text(connect.flag) { options.address = try SocketAddress(parsing: text) }
    options.usesWebSocket = parsed.has(websocket.flag)
    options.tables = try tables(parsed)
    options.players = try players(parsed)
    options.spectators = try spectators(parsed)
    options.tableType = parsed.text(type.flag) ?? options.tableType
    options.seed = try parsed.number(seed.flag, in: 0...UInt64.max) ?? options.seed
    options.seconds = Double(try seconds(parsed))
    options.lateShareMax =
      try parsed.number(late.flag, in: 0...100, "percent").map { (share: Int) in Double(share) / 100 }
      ?? options.lateShareMax
    options.showsProgress = !parsed.has(quiet.flag)
    // Tables of another run against the same daemon have been played on.
    options.tablePrefix = "load-\(MonotonicClock.now())"
    return options
  }

  static func objective(_ parsed: CommandLineArguments) throws -> Objective? {
    try parsed.text(objective.flag).map(Objective.init(parsing:))
  }

  static func write(_ json: [String: Any], _ parsed: CommandLineArguments) throws {
    guard let file = parsed.text(Self.json.flag) else { return }
    let data = try JSONSerialization.data(withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
    try write(data, to: file)
  }

  static func write(_ data: Data, to file: String) throws {
    do {
      try data.write(to: URL(fileURLWithPath: file))
    } catch {
      throw RunFailure("cannot write \(file)")
    }
  }
}

/// The exit codes of a load.
enum LoadExit: Int32 {
  case held = 0
  /// Something was lost, doubled, out of order or diverged, or a connection ended.
  case fault = 1
  /// The load could not be run.
  case failure = 2
  /// An objective was missed.
  case objective = 3
  /// The generator was late.
  case late = 4

  /// What a generator that was late has measured neither meets nor misses an objective.
  init(_ result: LoadResult, _ verdicts: [Objective.Verdict]) {
    let isMissed = verdicts.contains { !$0.isMet }
    self = !result.faults.isNone ? .fault : result.isLate ? .late : isMissed ? .objective : .held
  }
}
