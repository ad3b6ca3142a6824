import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import Foundation

extension Measure {
  private static let only = CommandOption("--only", "KINDS", "Measures some kinds of load: their names, with commas.")
  /// The account from which the limit holds: below, what the program itself keeps counts more.
  private static let accountBytesMin = 64 << 20

  /// What daemons have allocated under many kinds of load, against what they charge (I8).
  static let memory = Measure(
    "memory", "The memory that the daemon charges, and that it uses.",
    summary:
      "Compares the memory that the daemon charges to its account with what it has allocated, under many kinds of load.",
    options: [only],
    notes: [
      "Every kind has a daemon of its own, with one shard, whose log says once a second what is charged. What it has "
        + "allocated (RssAnon) above the idle daemon is compared with that, once a second and after the load has settled. Below "
        + "\(accountBytesMin >> 20) MiB the account counts as that much.",
      "The kinds:\n" + MemoryKind.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"),
    ],
    short: "--only lists,data,refusals,stalled"
  ) { lab in
    let names = lab.text(only)?.split(separator: ",").map(String.init) ?? MemoryKind.all.map(\.name)
    for name in names {
      guard let kind = MemoryKind.all.first(where: { $0.name == name }) else {
        throw RunFailure("there is no kind '\(name)'")
      }
      let samples = try measure(kind)
      lab.add("\(name), charged", [Double(samples[samples.count - 1].charged >> 20)], "MiB")
      lab.add("\(name), allocated", [Double(samples[samples.count - 1].allocated >> 20)], "MiB")
      // The daemon logs what it charges at most a second later.
      let ratios = zip(samples, samples.dropFirst() + samples.suffix(1)).map { sample, next in
        Double(sample.allocated) / Double(max(sample.charged, next.charged, accountBytesMin))
      }
      lab.add("\(name), ratio", [ratios.max() ?? .nan], "times", digits: 2)
      lab.limit("\(name), ratio", atMost: 1.5)
    }
    lab.add("the most, ratio", [names.map { lab.figures["\($0), ratio"].most }.max() ?? .nan], "times", digits: 2)
  }

  private static func measure(_ kind: MemoryKind) throws -> [MemoryLoad.Sample] {
    let load = try MemoryLoad(hasJournal: kind.hasJournal, arguments: kind.arguments)
    defer { load.stop() }
    try kind.apply(load)
    // Two sweeps.
    for _ in 0..<25 {
      Thread.sleep(forTimeInterval: 0.1)
      load.sample()
    }
    load.sample(isDue: true)
    guard load.daemon.isRunning, let last = load.samples.last, last.charged > 0 else {
      throw RunFailure("\(kind.name): the daemon does not say what it charges: \(load.daemon.errors.suffix(500))")
    }
    return load.samples
  }
}
