import BaizeCommandLine

SimulatorCommand.run(CommandLine.arguments.dropFirst())
