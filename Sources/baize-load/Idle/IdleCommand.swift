import BaizeCommandLine

/// `baize-load idle`: what a connection costs that joined and says nothing.
enum IdleCommand {
  private static let standard = IdlePlan()

  private static let command = Command(
    "baize-load idle",
    summary: "Has many clients join a daemon and do nothing but give a sign of life, and measures the memory that each "
      + "of them takes there.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--connections", "N", "Connections.", standard: "\(standard.connections)"),
          CommandOption(
            "--tables", "T", "Tables that they join in turn.",
            standard: "one for every \(IdlePlan.playersPerTableMax) connections"),
          CommandOption("--type", "TYPE", "The tables' type, options behind '?'.", standard: standard.tableType),
          CommandOption("--rounds", "N", "How often all give a sign of life, a second apart.", standard: "3"),
          CommandOption("--json", "FILE", "Writes the result there too."),
        ])
    ],
    notes: [
      "baized is started from the folder where baize-load lies, with a journal in the system's folder for temporary files. "
        + "The first \(IdlePlan.playersPerTableMax) at a table are players, the others spectators. Both programs raise their "
        + "limit of descriptors as far as the system lets them; if that is not enough, this one says how many would do.",
      "The memory is what is resident (VmRSS) beyond the daemon before anyone came, tables included. The mark: at most "
        + "\(IdleMeasure.bytesPerConnectionMax) bytes for each connection. The exit code is 1 if it is missed.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var plan = IdlePlan()
      plan.connections = try parsed.number("--connections", in: 1...IdlePlan.connectionsMax) ?? plan.connections
      plan.tables = try parsed.number("--tables", in: 1...IdlePlan.connectionsMax)
      plan.tableType = parsed.text("--type") ?? plan.tableType
      let rounds = try parsed.number("--rounds", in: 1...1_000) ?? 3
      return try IdleMeasure(plan: plan, rounds: rounds, report: Console.say).perform()
    }
  }
}
