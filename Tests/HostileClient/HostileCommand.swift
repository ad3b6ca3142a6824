import BaizeCommandLine
import BaizeTransport

/// `hostile-client`: storms of hostile connections, and their effect on a daemon and on honest clients.
enum HostileCommand {
  private static let standard = HostileOptions()

  private static let command = Command(
    "hostile-client",
    summary:
      "Starts a daemon, plays at some of its tables, and sends it storms of invalid and hostile frames or requests meanwhile.",
    sections: [
      Command.Section(
        "Storms",
        [
          CommandOption("--frames", "N", "The total number of frames.", standard: "\(standard.frames)"),
          CommandOption(
            "--connections", "N", "The minimum total number of connections.", standard: "\(standard.connections)"),
          CommandOption(
            "--rounds", "N", "The number of storms, besides one to warm up.",
            standard: "\(standard.rounds)"),
          CommandOption("--http", nil, "Sends requests and frames of WebSocket to the address for browsers."),
          CommandOption(
            "--latency-rise-max", "MS",
            "The most by which the p99 of honest answers may rise during a storm; needs a quiet machine.",
            standard: "none"),
          CommandOption("--seed", "S", "The seed of the frames.", standard: "\(standard.seed)"),
        ]),
      Command.Section(
        "Attacks",
        [
          CommandOption(
            "--attack", "NAME",
            "In place of storms: doors (strangers take all connections of the operator's address and of that for browsers), "
              + "rights (they ask for stored tables without an invite), shares (they fill the memory with tables, contents, parked "
              + "frames, sessions and history), turns (they keep a shard as busy as they can, with drags in front of a thousand "
              + "spectators, large updates, pipelined frames and operations that are refused).",
            standard: "none"),
          CommandOption(
            "--memory-max", "BYTES", "The daemon's memory under the attack on shares.",
            standard: "\(standard.memoryMax)"),
          CommandOption(
            "--addresses", "N", "The number of addresses that strangers come from under that attack.",
            standard: "\(standard.addresses)"),
          CommandOption(
            "--seconds", "N", "The time of that attack, and of each part of the attack on turns.",
            standard: "\(standard.seconds)"),
        ]),
      Command.Section(
        "Daemon",
        [
          CommandOption("--bin", "DIR", "The directory of baized.", standard: "that of this program"),
          CommandOption(
            "--journal", nil, "Keeps tables in a journal with --durability strict; otherwise in memory only."),
        ]),
    ],
    notes: [
      "The exit code is 0 if the daemon survived, used no more memory after the last storm than halfway, "
        + "except for what it charges to clients, answered every honest "
        + "operation, and every honest copy equals the daemon's; 1 if not; 2 if the run failed."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let options = try options(parsed)
      let result =
        switch options.attack {
        case nil: try HostileRun(options).perform()
        case .doors?: try DoorAttack(options: options).perform()
        case .rights?: try RightsAttack(options: options).perform()
        case .shares?: try SharesAttack(options: options).perform()
        case .turns?: try TurnsAttack(options: options).perform()
        }
      Console.end(result ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func options(_ parsed: CommandLineArguments) throws -> HostileOptions {
    var options = HostileOptions()
    options.frames = try parsed.number("--frames", in: 1_000...1_000_000_000) ?? options.frames
    options.connections = try parsed.number("--connections", in: 10...10_000_000) ?? options.connections
    options.rounds = try parsed.number("--rounds", in: 1...100) ?? options.rounds
    options.seed = try parsed.number("--seed", in: 0...UInt64.max) ?? options.seed
    options.latencyRiseMax = try parsed.number("--latency-rise-max", in: 1...60_000, "milliseconds").map(Double.init)
    options.memoryMax = try parsed.number("--memory-max", in: 64 << 20...1 << 40, "bytes") ?? options.memoryMax
    options.addresses = try parsed.number("--addresses", in: 1...200) ?? options.addresses
    options.seconds = try parsed.number("--seconds", in: 1...3_600, "seconds") ?? options.seconds
    options.attack = try parsed.choice("--attack")
    options.usesHTTP = parsed.has("--http")
    options.programs = parsed.text("--bin")
    options.keepsJournal = parsed.has("--journal")
    return options
  }
}

struct HostileOptions {
  var frames = 1_000_000
  var connections = 10_000
  var rounds = 4
  var seed: UInt64 = 1
  /// The folder of the daemon's program; `nil` for this program's own.
  var programs: String?
  var keepsJournal = false
  /// The most by which the p99 of honest answers may rise, in milliseconds; `nil` for any.
  var latencyRiseMax: Double?
  /// Whether the storms go to the address for browsers.
  var usesHTTP = false
  /// An attack in place of storms.
  var attack: HostileAttack?
  /// The memory of the daemon, the number of strangers' addresses, and the time of the attack on shares.
  var memoryMax = 300_000_000
  var addresses = 1
  var seconds = 8
}

/// An attack with a purpose, besides storms of anything.
enum HostileAttack: String, CaseIterable {
  case doors
  case rights
  case shares
  case turns
}
