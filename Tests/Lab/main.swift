import BaizeCommandLine

LabCommand.run(Array(CommandLine.arguments.dropFirst()))
