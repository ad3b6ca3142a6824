import BaizeCommandLine

HostileCommand.run(CommandLine.arguments.dropFirst())
