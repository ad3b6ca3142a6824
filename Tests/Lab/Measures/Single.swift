import BaizeCommandLine
import BaizeDriver
import BaizeTable
import BaizeTransport

extension Measure {
  private static let only = CommandOption(
    "--only", "TEXT", "Measures only the operations whose names contain a text.")

  /// The heaviest legal operations one by one (I11): the time of a turn of a shard without sockets that receives nothing else,
  /// from the frame to the frames that it sends.
  static let single = Measure(
    "single", "The heaviest single operations, without sockets.",
    summary: "Measures the heaviest operations one by one, without sockets, each in a turn of its own.",
    options: [.items.standard(1_000_000), .runs, only],
    short: "--items 10000 --runs 1"
  ) { lab in
    var table = try HeavyTable(items: lab[.items])
    let only = lab.text(only)
    for operation in HeavyOperation.all where only.map(operation.name.contains) ?? true {
      // The first run warms up.
      let times = try (0...lab[.runs]).map { _ in try measure(operation, at: &table) }
      lab.add(operation.name, times.dropFirst(), "µs")
      lab.limit(operation.name, atMost: 1_000, assumesQuiet: true)
    }
    lab.add(
      "the heaviest", [HeavyOperation.all.map { lab.figures[$0.name].median }.filter { !$0.isNaN }.max() ?? .nan], "µs")
  }

  private static func measure(_ operation: HeavyOperation, at table: inout HeavyTable) throws -> Double {
    let base = table.state.revision
    try operation.before(&table)
    let frame = table.frame(of: operation.kind(table), base: operation.isBehind ? table.base ?? base : nil)
    let start = MonotonicClock.now()
    let isAccepted = try table.receive(frame)
    let time = Double(MonotonicClock.now() - start) / 1e3
    guard isAccepted != operation.isRefused else {
      throw RunFailure("the verdict is not the expected one: \(operation.name)")
    }
    try operation.after(&table)
    return time
  }
}
