import Testing

@testable import BaizeCommandLine

@Suite struct CommandLineArgumentsTests {
  private static let command = Command(
    "tool", summary: "Does something.", operands: "FILE…",
    sections: [
      Command.Section(
        "Options",
        [
          CommandOption("--shards", "N", "Threads.", standard: "4"), CommandOption("--open", nil, "Opens."),
          CommandOption("--level", "LEVEL", "Sets the level."),
        ])
    ])

  private enum Level: String, CaseIterable { case low, high }

  private func parse(_ arguments: String...) throws(CommandLineError) -> CommandLineArguments {
    try CommandLineArguments(arguments, for: Self.command)
  }

  @Test func `flags, values and operands are parsed`() throws {
    let arguments = try parse("a", "--shards", "3", "--open", "b", "--level=high", "--", "--open")
    #expect(arguments.operands == ["a", "b", "--open"])
    #expect(try arguments.number("--shards", in: 1...8) == 3)
    #expect(arguments.has("--open"))
    #expect(try arguments.choice("--level", Level.self) == .high)
    #expect(!arguments.wantsHelp)
  }

  @Test func `absent flags are nil`() throws {
    let arguments = try parse()
    #expect(try arguments.number("--shards", in: 1...8) == nil)
    #expect(try arguments.choice("--level", Level.self) == nil)
    #expect(!arguments.has("--open") && arguments.text("--level") == nil)
  }

  @Test(arguments: [
    (["--shard", "3"], "unknown flag '--shard'; did you mean '--shards'?"),
    (["--nothing-like-it"], "unknown flag '--nothing-like-it'"),
    (["--shards"], "'--shards' needs a value: --shards N"),
    (["--shards", "--open"], "'--shards' needs a value: --shards N"),
    (["--open=yes"], "'--open' takes no value"),
    (["--open", "--open"], "'--open' is given twice"),
  ])
  func `an invalid command line gives one sentence`(_ arguments: [String], _ sentence: String) {
    #expect(performing: { _ = try CommandLineArguments(arguments, for: Self.command) }, throws: { "\($0)" == sentence })
  }

  @Test(arguments: ["0", "9", "-1", "+3", "3.5", "", "many", "99999999999999999999"])
  func `a number has only digits and is in range`(_ text: String) throws {
    let arguments = try parse("--shards=\(text)")
    #expect(
      performing: { _ = try arguments.number("--shards", in: 1...8, "threads") },
      throws: { "\($0)" == "'--shards' cannot be '\(text)'; expected a number of threads from 1 to 8" })
  }

  @Test func `a choice is one of several words`() throws {
    let arguments = try parse("--level", "middle")
    #expect(
      performing: { _ = try arguments.choice("--level", Level.self) },
      throws: { "\($0)" == "'--level' cannot be 'middle'; expected one of low, high" })
  }

  @Test func `unexpected operands are refused`() {
    let bare = Command("tool", summary: "", sections: [])
    #expect(throws: CommandLineError.unexpectedOperand("a")) { try CommandLineArguments(["a"], for: bare) }
  }

  @Test func `help is recognised among other flags`() throws {
    #expect(try parse("--open", "-h").wantsHelp)
    #expect(try parse("--help").wantsHelp)
  }

  @Test func `help is wrapped and aligned`() {
    let long = Array(repeating: "word", count: 40).joined(separator: " ")
    let command = Command(
      "tool", summary: "Does something.", usage: ["[OPTIONS]", "other"],
      sections: [Command.Section("Options", [CommandOption("--shards", "N", long, standard: "4")])])
    #expect(
      command.help == """
        Does something.

        Usage: tool [OPTIONS]
               tool other

        Options:
          --shards N  word word word word word word word word word word word word word word word word word
                      word word word word word word word word word word word word word word word word word
                      word word word word word word Default: 4.

        Help:
          --help      Prints this text.
          --version   Prints the version.

        """)
  }
}
