import BaizeCommandLine

// The first word may name a command; without one, a running daemon is put under load.
let arguments = Array(CommandLine.arguments.dropFirst())
let rest = arguments.dropFirst()
switch arguments.first {
case "relay": Relay.serve()
case "senders": HeavySenders.run(rest)
case "crowd": CrowdCommand.run(rest)
case "relaunched": RelaunchedClient.run(rest)
case let word:
  let commands = MeasureCommand.all + [.script]
  if let command = commands.first(where: { $0.word == word }) { command.run(rest) }
  LoadCommand.run(arguments[...])
}
