import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import Foundation

/// `baize-load run`: puts a running daemon under load and compares every copy with it.
enum RunCommand {
  static let rateStandard = 1_000
  private static let rate = CommandOption(
    "--rate", "N",
    "Operations per second of all players together (open loop). They are planned, each player in turn, and the plan waits for "
      + "no answer.", standard: "\(rateStandard), unless --window or --operations is given")
  private static let window = CommandOption(
    "--window", "W",
    "Operations that each player has in flight. Without --rate, always that many (closed loop); with it, at most: more wait.",
    standard: "1")
  private static let operations = CommandOption(
    "--operations", "N",
    "Measures exactly N operations instead, in a closed loop, and reads a line from standard input before and after them."
  )

  private static let html = CommandOption("--html", "FILE", "Also writes the result to a file, as a page with charts.")
  private static let histograms = CommandOption(
    "--hdr", "FILE", "Also writes the times of each second to a file, as a log of HdrHistogram.")

  static let command = Command(
    "baize-load run", summary: "Puts a daemon under load and, at the end, compares every copy of every table with it.",
    sections: [
      LoadFlags.joining,
      Command.Section("Load", [rate, window, LoadFlags.seconds.option, operations, LoadFlags.late]),
      Command.Section("Result", [LoadFlags.objective, LoadFlags.json, html, histograms, LoadFlags.quiet]),
    ],
    notes: [
      "The response time of an operation is the time from its planned time to its author's answer; the service time is that from "
        + "its real sending. If the daemon stalls, operations wait to be sent: the response time shows it, and the service time does "
        + "not. In a closed loop, a slow daemon gets less load, and there is a service time only.",
      "An operation is late if the generator itself came to it more than \(LoadOptions.lateNanoseconds / 1_000_000) ms behind "
        + "its planned time. It is unsent if earlier ones of its player had no answer until the end; its wait until then counts as "
        + "its response time. To be on time the generator keeps one core busy.",
      "An operation is corrected if its author was shown it and it was then taken back (refused) or changed (the rules chose another "
        + "destination). It is rebased if it was carried forward over operations of others that its author had not seen.",
      "A delivery is one diff read by one client, its author included. One connection per table keeps a live copy, from "
        + "which its players choose operations; the others check that no revision is missing, comes twice or is out of order, and "
        + "are compared after the run. No rate is printed if anything is wrong with that.",
      LoadFlags.objectiveNote,
      "The exit code is 0 if nothing was lost, doubled, out of order or diverged; 1 if something was, or a connection "
        + "ended; 2 if the run failed; 3 if the objective was missed; 4 if the generator was late (--late-max), so that nothing can be said.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      let objective = try LoadFlags.objective(parsed)
      let session = try LoadSession(options(parsed), report: Console.print)
      let start = Date.now.timeIntervalSince1970 + session.options.warmUpSeconds
      let result = try session.measure()
      let verdicts = objective?.verdicts(on: result) ?? []
      Console.print(result.text(verdicts))
      try LoadFlags.write(result.json(verdicts), parsed)
      if let file = parsed.text(html.flag) { try LoadFlags.write(Data(result.page(verdicts).utf8), to: file) }
      if let file = parsed.text(histograms.flag) {
        try LoadFlags.write(Data(result.histogramLog(start: start).text.utf8), to: file)
      }
      Console.end(LoadExit(result, verdicts).rawValue)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }

  private static func options(_ parsed: CommandLineArguments) throws -> LoadOptions {
    var options = try LoadFlags.options(parsed)
    options.operations = try parsed.number(operations.flag, in: 1...100_000_000, "operations")
    if options.operations != nil, parsed.has(rate.flag) {
      throw CommandLineError.exclusive(operations.flag, rate.flag)
    }
    let isClosed = !parsed.has(rate.flag) && (parsed.has(window.flag) || options.operations != nil)
    options.window = try parsed.number(window.flag, in: 1...LoadOptions.windowMax, "operations") ?? 1
    let perSecond: Int? = try parsed.number(rate.flag, in: 1...1_000_000, "operations per second")
    options.rate = isClosed ? nil : Double(perSecond ?? rateStandard)
    return options
  }
}
