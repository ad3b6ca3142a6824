import BaizeCommandLine

extension MeasureCommand {
  /// `baize-load idle`: the cost of an idle connection.
  static var idle: MeasureCommand {
    let standard = IdlePlan()

    let connections = NumberOption(
      "--connections", "N", "The number of connections.", in: 1...IdlePlan.connectionsMax,
      standard: standard.connections)
    let tables = CommandOption(
      "--tables", "T", "The number of tables to join.",
      standard: "one for every \(IdlePlan.playersPerTableMax) connections")
    let type = CommandOption(
      "--type", "TYPE", "The tables' type, options behind '?'.", standard: standard.tableType)
    let rounds = NumberOption(
      "--rounds", "N", "The number of heartbeats of each client, a second apart.", in: 1...1_000, standard: 3)
    return MeasureCommand(
      "idle", "The memory for idle connections.",
      summary: "Measures the daemon's memory for each of many clients that join and only send heartbeats.",
      options: [connections.option, tables, type, rounds.option],
      notes: [
        "Starts baized from the folder of baize-load, with a journal in the system's temporary directory. "
          + "The first \(IdlePlan.playersPerTableMax) at a table are players, the others spectators. Both programs raise their "
          + "descriptor limit as far as the system allows; if that is not enough, an error names the number needed.",
        "The memory is the growth of the daemon's resident size (VmRSS), tables included. The limit: at most "
          + "\(IdleMeasure.bytesPerConnectionMax) bytes for each connection. The exit code is 1 if it is exceeded.",
      ]
    ) { parsed in
      var plan = IdlePlan()
      plan.connections = try connections(parsed)
      plan.tables = try parsed.number(tables.flag, in: 1...IdlePlan.connectionsMax)
      plan.tableType = parsed.text(type.flag) ?? plan.tableType
      return try IdleMeasure(plan: plan, rounds: rounds(parsed), report: Console.print).perform()
    }
  }
}
