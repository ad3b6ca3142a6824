import Testing

@testable import BaizeCommandLine

/// Settings from the command line, the environment and a file.
@Suite struct SettingTests {
  private static let command = Command(
    "tool", summary: "Does something.",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--tables-burst-max", "N", "Tables."), CommandOption("--open", nil, "Opens."),
          CommandOption("--level", "LEVEL", "Sets the level: low, or high.", choices: ["low", "high"]),
          CommandOption("--types", "DIR", "Adds types."),
        ])
    ])

  private var burst: CommandOption { Self.command.options[0] }

  private func parse(_ arguments: String...) throws(CommandLineError) -> CommandLineArguments {
    try CommandLineArguments(arguments, for: Self.command)
  }

  @Test func `one declaration gives the flag, the variable and the key`() {
    #expect(
      Self.command.options.map(\.variable) == ["BAIZE_TABLES_BURST_MAX", "BAIZE_OPEN", "BAIZE_LEVEL", "BAIZE_TYPES"])
    #expect(Self.command.options.map(\.key) == ["tablesBurstMax", "open", "level", "types"])
  }

  @Test func `a flag overrides the environment, which overrides the file`() throws {
    for given in 1..<8 {
      var arguments = given & 4 == 0 ? try parse() : try parse("--tables-burst-max", "3")
      if given & 2 != 0 { try arguments.add(environment: ["BAIZE_TABLES_BURST_MAX": "2"], for: Self.command) }
      if given & 1 != 0 { arguments.add(FileSetting(burst, "1", position: "a.json:1:2")) }
      let expected = given & 4 != 0 ? 3 : given & 2 != 0 ? 2 : 1
      #expect(try arguments.number("--tables-burst-max", in: 1...8) == expected, "\(given)")
      #expect(arguments.origin("--tables-burst-max")?.rank == expected - 1)
    }
  }

  @Test func `a flag without a value can be unset by what overrides it`() throws {
    var arguments = try parse("--open=false")
    try arguments.add(environment: ["BAIZE_OPEN": "true"], for: Self.command)
    #expect(!arguments.has("--open") && arguments.origin("--open") == .commandLine)
    var unset = try parse()
    try unset.add(environment: ["BAIZE_OPEN": "", "BAIZE_LEVEL": "high"], for: Self.command)
    unset.add(FileSetting(Self.command.options[1], "true", position: "a.json:1:2"))
    #expect(unset.has("--open") && unset.text("--level") == "high")
  }

  @Test func `a mistake names the place of the value`() throws {
    var arguments = try parse()
    arguments.add(FileSetting(burst, "9", position: "a.json:1:2"))
    #expect(
      performing: { _ = try arguments.number("--tables-burst-max", in: 1...8) },
      throws: { "\($0)" == "a.json:1:2: tablesBurstMax: cannot be '9'; expected a number from 1 to 8" })
    var other = try parse()
    try other.add(environment: ["BAIZE_TABLES_BURST_MAX": "x"], for: Self.command)
    #expect(
      performing: { _ = try other.number("--tables-burst-max", in: 1...8) },
      throws: { "\($0)" == "'BAIZE_TABLES_BURST_MAX' cannot be 'x'; expected a number from 1 to 8" })
    #expect(
      performing: { try other.add(environment: ["BAIZE_OPEN": "yes"], for: Self.command) },
      throws: { "\($0)" == "'BAIZE_OPEN' cannot be 'yes'; expected true or false" })
  }

  /// Kubernetes sets such variables for services named `baize` and `baize-admin`.
  @Test(arguments: [
    "BAIZE_SERVICE_HOST", "BAIZE_SERVICE_PORT", "BAIZE_SERVICE_PORT_HTTP", "BAIZE_PORT", "BAIZE_PORT_7777_TCP",
    "BAIZE_PORT_7777_TCP_PROTO", "BAIZE_PORT_7777_TCP_ADDR", "BAIZE_ADMIN_SERVICE_HOST",
    "BAIZE_ADMIN_PORT_7781_TCP_PORT",
    "PATH", "baize_open",
  ])
  func `a variable of others is ignored`(name: String) throws {
    var arguments = try parse()
    try arguments.add(environment: [name: "x"], for: Self.command)
    #expect(Self.command.options.allSatisfy { !arguments.has($0.flag) })
  }

  @Test(arguments: [
    ("BAIZE_OPNE", "; did you mean 'BAIZE_OPEN'?"),
    ("BAIZE_TABLE_BURST_MAX", "; did you mean 'BAIZE_TABLES_BURST_MAX'?"),
    ("BAIZE_SEED", ""), ("BAIZE_", ""), ("BAIZE_PORTS", ""), ("BAIZE_PORT_TCP", ""),
  ])
  func `a variable that begins like those of the options and is none is a mistake`(name: String, hint: String) throws {
    var arguments = try parse()
    #expect(
      performing: { try arguments.add(environment: [name: "1"], for: Self.command) },
      throws: { "\($0)" == "unknown environment variable '\(name)'\(hint)" })
    try arguments.add(environment: [name: "1"], for: Self.command, besides: [name])
  }

  @Test(arguments: CompletionScript.Shell.allCases)
  func `a completion script offers every flag, word and choice`(_ shell: CompletionScript.Shell) {
    let other = Command(
      "tool it's", summary: "Isn't this: a command?", operands: "WORD", operandChoices: ["sun", "moon"], sections: [])
    let text = CompletionScript(Self.command, [CompletionScript.Subcommand("other", other)]).text(for: shell)
    for option in Self.command.options + Command.help {
      #expect(text.contains(shell == .fish ? "-l \(option.flag.dropFirst(2)) " : option.flag), "\(option.flag)")
    }
    for word in ["other", "low high", "sun moon"] { #expect(text.contains(word), "\(word)") }
  }
}
