import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import Foundation

/// The bench of one measure: its options, its figures and their limits, and daemons of its own.
///
/// ```
/// options ─▶ rounds: daemon, load ─▶ figures ─▶ limits ─▶ text, JSON, exit code
/// ```
final class Lab {
  private let word: String
  let arguments: CommandLineArguments
  /// By flag, the numbers of the measure's options: given, or the measure's defaults.
  private let numbers: [String: Int]
  private(set) var figures = Figures()
  private var limits: [Limit] = []

  private struct Limit {
    let isHeld: Bool
    let assumesQuiet: Bool
    let text: String
  }

  /// - Throws: The mistake in an option's number.
  init(_ word: String, _ arguments: CommandLineArguments, _ options: [any LabOption]) throws(CommandLineError) {
    (self.word, self.arguments) = (word, arguments)
    var numbers: [String: Int] = [:]
    for case let option as NumberOption in options { numbers[option.option.flag] = try option(arguments) }
    self.numbers = numbers
  }

  // MARK: Options

  /// The number of an option: given, or the measure's default.
  subscript(option: NumberOption) -> Int { numbers[option.option.flag] ?? option.standard }

  /// Whether an option is given.
  func has(_ option: some LabOption) -> Bool { arguments.has(option.option.flag) }

  func text(_ option: CommandOption) -> String? { arguments.text(option.flag) }

  /// The seed that was asked for, or a random one. It is printed.
  func seed() throws -> UInt64 {
    let seed = try arguments.number(CommandOption.seed.flag, in: 0...UInt64.max) ?? UInt64.random(in: 1...1_000_000)
    Console.print("seed \(seed)")
    return seed
  }

  /// The durability that was asked for, or the measure's own.
  func durability(_ standard: Durability) throws -> Durability {
    try arguments.choice(CommandOption.durability.flag) ?? standard
  }

  /// The load that the options describe.
  var loadOptions: LoadOptions {
    var load = LoadOptions()
    if let tables = numbers["--tables"] { load.tables = tables }
    if let players = numbers["--players"] { load.players = players }
    load.rate = numbers["--rate"].map(Double.init)
    load.window = numbers["--window"] ?? (load.rate == nil ? load.window : LoadOptions.windowMax)
    if let seconds = numbers["--seconds"] { load.seconds = Double(seconds) }
    return load
  }

  // MARK: Figures

  /// Runs a phase as often as asked for, and prints the figures of each run.
  func rounds(_ name: String = "", _ body: (Int) throws -> Void) throws {
    let count = self[.runs]
    for run in 1...count {
      figures.beginRun()
      try body(run)
      Console.print("\(name.isEmpty ? "" : "\(name), ")run \(run) of \(count): \(figures.line)")
    }
  }

  func add(_ name: String, _ value: Double, _ unit: String, digits: Int = 0) {
    figures.add(name, value, unit, digits: digits)
  }

  /// Adds a figure of several runs that have been made, and prints it.
  func add(_ name: String, _ values: some Sequence<Double>, _ unit: String, digits: Int = 0) {
    for value in values { add(name, value, unit, digits: digits) }
    Console.print("\(name): \(figures[name].text(digits)) \(unit)")
  }

  /// Adds the deliveries of a load, and the processor time for them.
  func add(_ name: String, _ result: LoadResult) {
    add(name, result.deliveriesPerSecond, "deliveries per second")
    add("\(name), time", result.daemonNanosecondsPerDelivery ?? .nan, "ns of the processor per delivery")
    add("\(name), core", (result.daemonLoad ?? .nan) * 100, "% of a core")
    add("\(name), harness", result.harnessLoad * 100, "% of a core")
  }

  /// Holds the median of a figure to a limit.
  ///
  /// - Parameter assumesQuiet: Whether other load on the machine can break it.
  func limit(
    _ figure: String, atMost most: Double = .infinity, atLeast least: Double = -.infinity, assumesQuiet: Bool = false
  ) {
    let value = figures[figure].median
    let bound = most < .infinity ? "at most \(Figures.short(most))" : "at least \(Figures.short(least))"
    limits.append(
      Limit(
        isHeld: value <= most && value >= least, assumesQuiet: assumesQuiet,
        text: "\(figure): \(Figures.short(value)), \(bound)"))
  }

  /// Holds a condition that is no figure.
  func require(_ isHeld: Bool, _ text: String) {
    limits.append(Limit(isHeld: isHeld, assumesQuiet: false, text: text))
  }

  // MARK: The end

  /// Prints the figures of all runs, and the limits.
  func finish() {
    Console.print("\(word): medians (least … most)\n\(figures.text)")
    for limit in limits {
      Console.print(
        "\(limit.isHeld ? "holds" : "MISSED")  \(limit.text)"
          + (limit.isHeld || !limit.assumesQuiet ? "" : " (assumes a quiet machine)"))
    }
  }

  /// The code to exit with.
  var exitCode: Int32 {
    let missed = limits.filter { !$0.isHeld }
    return missed.isEmpty ? 0 : missed.allSatisfy(\.assumesQuiet) ? 3 : 1
  }

  // MARK: Daemons

  /// The core for the daemon, once the harness is bound to another; `nil` if there is only one.
  lazy var daemonCore: Int? = try? Affinity.divide(Console.print)

  /// Starts a daemon without limits that a harness would reach, and stops it behind `body`.
  ///
  /// - Parameters:
  ///   - isAlone: Whether it gets a core of its own, and the harness another.
  ///   - body: Its result is returned.
  func withDaemon<Result>(
    journal: String? = nil, shards: Int? = nil, isAlone: Bool = false, logLevel: String = "error",
    arguments: [String] = [], _ body: (ChildProcess) throws -> Result
  ) throws -> Result {
    let daemon = try ChildProcess.daemon(
      journal: journal, shards: shards, core: isAlone ? daemonCore : nil, logLevel: logLevel, arguments: arguments)
    defer { daemon.stop() }
    return try body(daemon)
  }

  /// Puts a daemon under the load that the options describe.
  ///
  /// - Parameter change: Changes the load.
  /// - Throws: ``RunFailure`` if something was lost, or a copy differed.
  func load(on daemon: ChildProcess, _ change: (inout LoadOptions) -> Void = { _ in }) throws -> LoadResult {
    try measure(join(daemon, change))
  }

  /// Joins the members of the load that the options describe.
  ///
  /// - Parameters:
  ///   - original: For a relay: the driver of a daemon, whose routes and diffs are repeated.
  ///   - change: Changes the load.
  func join(
    _ daemon: ChildProcess, like original: Driver? = nil, _ change: (inout LoadOptions) -> Void = { _ in }
  ) throws -> LoadSession {
    var options = loadOptions
    change(&options)
    options.address = options.usesWebSocket ? try daemon.httpAddress : daemon.address
    options.showsProgress = false
    return try LoadSession(options, like: original, report: Console.print)
  }

  /// - Parameter secondPassed: Called after each second that is measured.
  /// - Throws: ``RunFailure`` if something was lost, or a copy differed.
  func measure(_ session: LoadSession, secondPassed: () -> Void = {}) throws -> LoadResult {
    let result = try session.measure(secondPassed: secondPassed)
    guard result.faults.isNone else { throw RunFailure(result.text()) }
    return result
  }
}
