import BaizeCommandLine

// Without a subcommand the daemon listens.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first.flatMap(Subcommand.init) {
case .listen: ListenCommand.run(arguments.dropFirst())
case .check: CheckCommand.run(arguments.dropFirst())
case .tables: TablesCommand.run(arguments.dropFirst())
case .replay: ReplayCommand.run(arguments.dropFirst())
case .demo: DemoCommand.run(arguments.dropFirst())
case nil: ListenCommand.run(arguments[...])
}

enum Subcommand: String {
  case listen
  case check
  case tables
  case replay
  case demo
}
