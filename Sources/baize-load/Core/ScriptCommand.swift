import BaizeCommandLine
import BaizeSync

/// `baize-load script`: plays a fixed script on a shard without sockets, for `Tests/instructions.sh`, which counts the
/// instructions of two runs and divides the difference by that of the operations.
enum ScriptCommand {
  private static let operations = NumberOption(
    "--operations", "N", "The number of operations to play.", in: 0...1_000_000, "operations", standard: 8_192)
  private static let of = NumberOption(
    "--of", "N", "The number of operations in the script, of which the first are played.", in: 0...1_000_000,
    "operations",
    standard: 16_384)
  private static let window = NumberOption(
    "--window", "W", "The number of operations of each player in a turn.", in: 1...256, "operations", standard: 16)
  private static let durability = CommandOption(
    "--durability", "MODE", "memory, or strict to write the records.", standard: "memory")

  private static let command = MeasureCommand.command(
    "script",
    summary: "Plays a fixed script of operations on a shard without sockets, for tools that count instructions.",
    options: [operations.option, of.option, window.option, durability])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      let window = try window.read(parsed)
      let count = try operations.read(parsed)
      let mode: Durability = parsed.text(durability.flag) == "strict" ? .strict : .memory
      let script = Script(operations: try of.read(parsed), window: window, durability: mode)
      let sent = script.play(turns: count / (Script.tables * Script.players * window))
      Console.print("\(count) operations, \(sent) frames sent")
      return (true, ["operations": count, "frames": sent])
    }
  }
}
