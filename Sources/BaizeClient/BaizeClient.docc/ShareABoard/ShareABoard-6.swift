let name = CommandLine.arguments.dropFirst().first ?? "Ada"
try await shareBoard(at: "127.0.0.1:7777", as: name)
