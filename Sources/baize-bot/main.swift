import BaizeCommandLine

BotCommand.run(CommandLine.arguments.dropFirst())
