import BaizeCommandLine

/// `baize-load idle`: the cost of an idle connection.
enum IdleCommand {
  private static let standard = IdlePlan()

  private static let connections = NumberOption(
    "--connections", "N", "Connections.", in: 1...IdlePlan.connectionsMax, standard: standard.connections)
  private static let tables = CommandOption(
    "--tables", "T", "Tables that they join in turn.",
    standard: "one for every \(IdlePlan.playersPerTableMax) connections")
  private static let type = CommandOption(
    "--type", "TYPE", "The tables' type, options behind '?'.", standard: standard.tableType)
  private static let rounds = NumberOption(
    "--rounds", "N", "How often all give a sign of life, a second apart.", in: 1...1_000, standard: 3)

  private static let command = MeasureCommand.command(
    "idle",
    summary: "Has many clients join a daemon and do nothing but give a sign of life, and measures the memory that each "
      + "of them takes there.",
    options: [connections.option, tables, type, rounds.option],
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
      plan.connections = try connections.read(parsed)
      plan.tables = try parsed.number(tables.flag, in: 1...IdlePlan.connectionsMax)
      plan.tableType = parsed.text(type.flag) ?? plan.tableType
      return try IdleMeasure(plan: plan, rounds: rounds.read(parsed), report: Console.print).perform()
    }
  }
}
