import BaizeCommandLine

// The first word may name a subcommand; without one, a running daemon is put under load.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first.flatMap(Subcommand.init) {
case .ceiling: CeilingCommand.run(arguments.dropFirst())
case .scaling: ScalingCommand.run(arguments.dropFirst())
case .durability: DurabilityCommand.run(arguments.dropFirst())
case .resume: ResumeCommand.run(arguments.dropFirst())
case .startup: StartupCommand.run(arguments.dropFirst())
case .idle: IdleCommand.run(arguments.dropFirst())
case .stalled: StalledCommand.run(arguments.dropFirst())
case .heavy: HeavyCommand.run(arguments.dropFirst())
case .senders: HeavySenders.run(arguments.dropFirst())
case .crowd: CrowdCommand.run(arguments.dropFirst())
case .core: CoreCommand.run(arguments.dropFirst())
case .shards: ShardsCommand.run(arguments.dropFirst())
case .relay: RelayCommand.run(arguments.dropFirst())
case .script: ScriptCommand.run(arguments.dropFirst())
case nil: LoadCommand.run(arguments[...])
}

enum Subcommand: String {
  case ceiling
  case scaling
  case durability
  case resume
  case startup
  case idle
  case stalled
  case heavy
  case senders
  case crowd
  case core
  case shards
  case relay
  case script
}
