package import BaizeTransport

/// The result of a run.
package struct LoadResult: Sendable {
  package let options: LoadOptions
  package private(set) var seconds = 0.0
  package private(set) var total = LoadCounters()
  /// The operations that were judged, and the deliveries, only behind the end of the measured time: they are in no rate.
  package private(set) var late: (judged: UInt64, deliveries: UInt64) = (0, 0)
  /// The parts of the run, at most ``LoadOptions/intervalsMax``, of a second each or of several.
  package private(set) var intervals: [Interval] = []
  package var faults = LoadFaults()
  /// The share of one core that the harness used, and that the daemon used.
  package private(set) var harnessLoad = 0.0
  package private(set) var daemonLoad: Double?

  /// A part of the run.
  package struct Interval: Sendable {
    package fileprivate(set) var seconds: Double
    package fileprivate(set) var counters: LoadCounters
  }

  /// - Parameter joining: The times in which everyone joined.
  package init(options: LoadOptions, joining: Histogram = Histogram()) {
    self.options = options
    total.toJoin = joining
  }

  /// Adds the next second.
  package mutating func add(_ counters: LoadCounters, seconds: Double) {
    self.seconds += seconds
    total.add(counters)
    let length = (options.seconds / Double(LoadOptions.intervalsMax)).rounded(.up)
    if let last = intervals.indices.last, intervals[last].seconds + seconds <= length {
      intervals[last].seconds += seconds
      intervals[last].counters.add(counters)
    } else {
      intervals.append(Interval(seconds: seconds, counters: counters))
    }
  }

  /// Adds what belongs to the measured time and came behind its end.
  package mutating func addRest(_ counters: LoadCounters) {
    total.add(counters)
    late.judged += counters.judged
    late.deliveries += counters.deliveries
    if let last = intervals.indices.last { intervals[last].counters.addTimes(counters) }
  }

  package mutating func note(_ start: LoadSession.ClockReading, _ end: LoadSession.ClockReading) {
    let wall = Double(end.time - start.time)
    harnessLoad = Double(end.own - start.own) / wall
    if let from = start.daemon, let to = end.daemon { daemonLoad = (to - from) / (wall / 1e9) }
  }

  package var deliveriesPerSecond: Double { Double(total.deliveries - late.deliveries) / seconds }
  package var judgedPerSecond: Double { Double(total.judged - late.judged) / seconds }

  /// Whether the daemon judged what was planned in its time, but for what may be in flight at its end: a hundredth, or that of a
  /// tenth of a second.
  package var keepsUp: Bool {
    // Of those for which a player had nothing to do, none is judged.
    let planned = Double(total.planned) - Double(total.passed)
    return Double(total.judged - late.judged) >= planned - max(0.01 * planned, 0.1 * (options.rate ?? 0))
  }

  /// The time to the author's answer: from the plan, or without one from sending.
  package var response: Histogram { total.answers(isPlanned: options.rate != nil) }

  /// The daemon's processor time per delivery, in nanoseconds.
  package var daemonNanosecondsPerDelivery: Double? {
    daemonLoad.map { $0 * seconds * 1e9 / Double(max(1, total.deliveries)) }
  }

  /// The daemon's processor time per accepted operation, in nanoseconds.
  package var daemonNanosecondsPerOperation: Double {
    (daemonLoad ?? .nan) * seconds * 1e9 / Double(max(1, total.accepted))
  }

  /// The share of the judged operations that were shown to their author and then changed or taken back.
  package var correctedShare: Double { Double(total.corrected) / Double(max(1, total.judged)) }

  /// The share of the planned operations that the harness came to too late.
  package var lateShare: Double { Double(total.late) / Double(max(1, total.planned)) }

  /// Whether the harness could not keep to its plan: then it, not the daemon, was measured.
  package var isLate: Bool { lateShare > options.lateShareMax }

  /// Whether, without a plan, the harness had no time left: then it, not the daemon, was measured.
  package var isHarnessLimited: Bool { options.rate == nil && harnessLoad > 0.95 && (daemonLoad ?? 0) < 0.95 }
}
