import BaizeCommandLine
import BaizeDriver
import BaizeTransport

/// A measure: what it measures, its options, and its phases as a script over a ``Lab``.
struct Measure: Sendable {
  /// The word after the program's name.
  let word: String
  /// The measure in half a line, for the program's help.
  let title: String
  private let summary: String
  private let options: [any LabOption]
  private let notes: [String]
  private let short: String
  private let script: @Sendable (Lab) throws -> Void

  /// - Parameters:
  ///   - options: Without those that all measures have.
  ///   - short: The options of the short form, as on a command line.
  ///   - script: The phases, which add figures and limits. An error is a failure of the run.
  init(
    _ word: String, _ title: String, summary: String, options: [any LabOption] = [], notes: [String] = [],
    short: String = "", script: @escaping @Sendable (Lab) throws -> Void
  ) {
    (self.word, self.title, self.summary) = (word, title, summary)
    (self.options, self.notes, self.short, self.script) = (options, notes, short, script)
  }

  private static let shortForm = CommandOption("--short", nil, "Measures in seconds, to see that it works.")
  private static let exitCodes =
    "The exit code is 0 if every limit holds, 1 if one is missed, 3 if only limits are missed that assume a quiet machine, and "
    + "2 if the run failed. The daemons are those beside this program."

  var command: Command {
    let forms = short.isEmpty ? [] : [Self.shortForm]
    return Command(
      "\(LabCommand.name) \(word)", summary: summary,
      sections: [Command.Section("Options", options.map(\.option) + forms)],
      notes: notes + (short.isEmpty ? [] : ["The short form is \(short)."]) + [Self.exitCodes])
  }

  /// Measures, and prints figures and limits.
  ///
  /// - Parameter arguments: The command line behind the measure's word.
  /// - Throws: What prevented the measurement.
  func run(_ arguments: [String]) throws -> Lab {
    var parsed = command.read(arguments)
    if parsed.has(Self.shortForm.flag) { parsed.add(try CommandLineArguments(short.words, for: command)) }
    let lab = try Lab(word, parsed, options)
    DescriptorLimit.raise()
    try script(lab)
    lab.finish()
    return lab
  }
}

extension Measure {
  /// In the order of the program's help.
  static var all: [Measure] {
    [
      ceiling, scaling, durability, engines, webSocket, resume, startup, idle, stalled, core, vacant, script, shards,
      heavy,
      single,
      waiting, memory, crash, nodes, relaunch, restart,
    ]
  }

  /// Returns the time since a reading of the monotonic clock.
  static func milliseconds(since start: UInt64) -> Double { Double(MonotonicClock.now() - start) / 1e6 }
}
