import BaizeCommandLine
import BaizeDriver
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-lab memory`: the memory that the daemon charges, and the memory that it uses.
  static var memory: MeasureCommand {
    let only = CommandOption("--only", "KIND", "Measures one kind of load.")
    let short = CommandOption("--short", nil, "Measures a few kinds, in less than half a minute.")
    return MeasureCommand(
      "memory", "The memory that the daemon charges, and that it uses.",
      summary:
        "Compares the memory that the daemon charges to its account with its resident memory, under many kinds of load.",
      options: [only, short],
      notes: [
        "Every kind has a daemon of its own, with one shard, whose log says once a second what is charged. Its resident memory "
          + "above that of the idle daemon is compared with that, once a second and after the load has settled. Below "
          + "\(MemoryMeasure.accountBytesMin >> 20) MiB the account counts as that much.",
        "The limit: at most \(MemoryMeasure.ratioMax) times. The exit code is 1 if it is exceeded.",
        "The kinds:\n" + MemoryKind.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"),
      ]
    ) { parsed in
      var kinds = MemoryKind.all.filter { $0.isShort || !parsed.has(short.flag) }
      if let name = parsed.text(only.flag) { kinds = MemoryKind.all.filter { $0.name == name } }
      guard !kinds.isEmpty else { throw RunFailure("there is no such kind") }
      return try MemoryMeasure(kinds: kinds).perform()
    }
  }
}

/// Measures the resident memory of daemons under several kinds of load against what they charge (I8).
struct MemoryMeasure {
  let kinds: [MemoryKind]

  static let ratioMax = 1.5
  /// The account from which the limit holds: below, what the program itself keeps counts more.
  static let accountBytesMin = 64 << 20
  /// Two sweeps.
  private static let settleSeconds = 2.5

  func perform() throws -> MeasureCommand.Result {
    var figures = Figures()
    var isSound = true
    for kind in kinds {
      let began = MonotonicClock.now()
      let result = try measure(kind)
      figures.add("\(kind.name), charged", Double(result.charged >> 20), "MiB")
      figures.add("\(kind.name), resident", Double(result.resident >> 20), "MiB")
      figures.add("\(kind.name), ratio", result.ratio, "times", digits: 2)
      let isWithin = result.ratio <= Self.ratioMax
      isSound = isSound && isWithin
      let seconds = Int((MonotonicClock.now() - began) / 1_000_000_000)
      Console.print(
        "\(kind.name): \(result.resident >> 20) MiB resident above idle, \(result.charged >> 20) MiB charged, "
          + "at most \(LoadResult.fixed(result.ratio, 2)) times (\(seconds) s)\(isWithin ? "" : ": too much")")
    }
    return (isSound, figures.json)
  }

  /// - Returns: The last sample, and the largest ratio of all.
  private func measure(_ kind: MemoryKind) throws -> (resident: Int, charged: Int, ratio: Double) {
    let load = try MemoryLoad(hasJournal: kind.hasJournal, arguments: kind.arguments)
    defer { load.stop() }
    try kind.apply(load)
    let end = MonotonicClock.now() + UInt64(Self.settleSeconds * 1e9)
    while MonotonicClock.now() < end {
      Thread.sleep(forTimeInterval: 0.1)
      load.sample()
    }
    load.sample(isDue: true)
    guard load.daemon.isRunning, let last = load.samples.last, last.charged > 0 else {
      throw RunFailure("\(kind.name): the daemon does not say what it charges: \(load.daemon.errors.suffix(500))")
    }
    var ratio = 0.0
    // The daemon logs what it charges at most a second later.
    for (index, sample) in load.samples.enumerated() {
      let next = load.samples[min(index + 1, load.samples.count - 1)]
      let charged = max(sample.charged, next.charged, Self.accountBytesMin)
      ratio = max(ratio, Double(sample.resident) / Double(charged))
    }
    return (last.resident, last.charged, ratio)
  }
}
