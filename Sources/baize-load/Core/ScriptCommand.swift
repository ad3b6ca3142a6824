import BaizeCommandLine
import BaizeSync

extension MeasureCommand {
  /// `baize-load script`: plays a fixed script on a shard without sockets, for `Tests/instructions.sh`, which counts the
  /// instructions of two runs and divides the difference by that of the operations.
  static var script: MeasureCommand {
    let operations = NumberOption(
      "--operations", "N", "The number of operations to play.", in: 0...1_000_000, "operations", standard: 8_192)
    let of = NumberOption(
      "--of", "N", "The number of operations in the script, of which the first are played.", in: 0...1_000_000,
      "operations",
      standard: 16_384)
    let window = NumberOption(
      "--window", "W", "The number of operations of each player in a turn.", in: 1...256, "operations", standard: 16
    ) { $0.window = $1 }
    let durability = CommandOption(
      "--durability", "MODE", "memory, or strict to write the records.", standard: "memory")
    return MeasureCommand(
      "script", "A fixed script on a shard without sockets.",
      summary: "Plays a fixed script of operations on a shard without sockets, for tools that count instructions.",
      options: [operations.option, of.option, window.option, durability]
    ) { parsed in
      let window = try window(parsed)
      let count = try operations(parsed)
      let mode: Durability = parsed.text(durability.flag) == "strict" ? .strict : .memory
      let script = Script(operations: try of(parsed), window: window, durability: mode)
      let sent = script.play(turns: count / (Script.tables * Script.players * window))
      Console.print("\(count) operations, \(sent) frames sent")
      return (true, ["operations": count, "frames": sent])
    }
  }
}
