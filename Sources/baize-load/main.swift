LoadCommand.run(CommandLine.arguments.dropFirst())
