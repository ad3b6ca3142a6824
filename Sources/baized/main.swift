import BaizeCommandLine

// Without a subcommand the daemon listens.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first.flatMap(Subcommand.init) {
case .listen: ListenCommand.run(arguments.dropFirst())
case .check: CheckCommand.run(arguments.dropFirst())
case .config: ConfigCommand.run(arguments.dropFirst())
case .tables: TablesCommand.run(arguments.dropFirst())
case .replay: ReplayCommand.run(arguments.dropFirst())
case .backup: BackupCommand.run(arguments.dropFirst())
case .copy: CopyCommand.run(arguments.dropFirst())
case .export: ExportCommand.run(arguments.dropFirst())
case .delete: DeleteCommand.run(arguments.dropFirst())
case .migrate: MigrateCommand.run(arguments.dropFirst())
case .demo: DemoCommand.run(arguments.dropFirst())
case .token: TokenCommand.run(arguments.dropFirst())
case .completion: CompletionCommand.run(arguments.dropFirst())
case nil: ListenCommand.run(arguments[...])
}

enum Subcommand: String, CaseIterable {
  case listen
  case check
  case config
  case tables
  case replay
  case backup
  case copy
  case export
  case delete
  case migrate
  case demo
  case token
  case completion

  /// The command's definition; `nil` for the daemon's own, which needs no word.
  var command: Command? {
    switch self {
    case .listen: nil
    case .check: CheckCommand.command
    case .config: ConfigCommand.command
    case .tables: TablesCommand.command
    case .replay: ReplayCommand.command
    case .backup: BackupCommand.command
    case .copy: CopyCommand.command
    case .export: ExportCommand.command
    case .delete: DeleteCommand.command
    case .migrate: MigrateCommand.command
    case .demo: DemoCommand.command
    case .token: TokenCommand.command
    case .completion: CompletionCommand.command
    }
  }
}
