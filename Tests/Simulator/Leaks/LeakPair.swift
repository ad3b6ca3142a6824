import BaizeTable
import BaizeWire
import BaizeWorkload

/// Two tables that differ only in what one of the participants, the watcher, may not see: it must not be able to tell them
/// apart. Every byte that is sent to it is compared, and the turn in which it is sent.
///
/// The steps are chosen at the first table. The second gets the same frames, but cards that the watcher never sees are
/// exchanged, and other participants arrange their hands differently, are refused more, insert other cards, or write longer
/// texts.
///
/// The tables may diverge where another participant's operation is refused at one of them only, or where a face becomes
/// visible; nothing is compared from then on.
public struct LeakPair {
  /// The result of a pair.
  public enum Finding: Sendable {
    /// The watcher could not tell the tables apart, to the end.
    case secret
    /// The watcher could not tell the tables apart, up to where they diverged.
    case parted
    /// The tables did not differ.
    case same
    case leak(Leak)
  }

  /// The table types with hidden faces or private collections.
  public static let typeNames = SimulatedTypes.names.filter { name in
    SimulatedTypes.type(named: name)?.kinds.contains { $0.faces != .up || $0.isPrivate } ?? false
  }

  let plan: LeakPlan
  private let first: LeakRun
  private let types: LeakTypes
  private var steps: [LeakStep] = []
  private var random: RandomSource
  private let seed: UInt64

  /// - Parameter typeName: The table type; chosen by the seed unless given.
  public init(seed: UInt64, typeName: String? = nil) {
    self.seed = seed
    var random = RandomSource(seed: SplitMix64.mix(seed &* 0x9E37_79B9_7F4A_7C15 &+ 5))
    // More is private in some types than in others.
    let name = typeName ?? random.pick(random.happens(onceIn: 2) ? SimulatedTypes.secretNames : Self.typeNames)
    let type = SimulatedTypes.type(named: name) ?? SimulatedTypes.hands
    types = LeakTypes(marking: type)
    plan = LeakPlan(typeName: name, types.type, &random)
    first = LeakRun(plan, types)
    self.random = random
  }

  /// Runs both tables.
  public mutating func run() -> Finding {
    var generator = LeakStepGenerator(random.split(), at: first)
    while let step = generator.next() {
      steps.append(step)
      first.take(step, isFirst: true)
    }
    let faces = exchangedFaces()
    guard !faces.isEmpty || generator.hasDiffered else { return .same }
    return compare(LeakRun(plan, types.exchanging(faces)))
  }

  /// Returns new faces for some of the cards that the watcher never saw.
  private mutating func exchangedFaces() -> [String: Face] {
    let faces = types.faces
    var hidden = faces.keys.filter { !first.seen.contains($0) }.sorted()
    random.shuffle(&hidden)
    // Where rules read faces, a table with few exchanged parts later from the other.
    if random.happens(onceIn: 2) { hidden = Array(hidden.prefix(2 + random.below(3))) }
    guard hidden.count > 1 else { return [:] }
    var exchanged: [String: Face] = [:]
    for (index, mark) in hidden.enumerated() { exchanged[mark] = faces[hidden[(index + 1) % hidden.count]] }
    return exchanged
  }

  private func compare(_ second: LeakRun) -> Finding {
    for (number, step) in steps.enumerated() {
      second.take(step, isFirst: false)
      guard case .turn = step, let turn = second.turns.last else { continue }
      let expected = first.turns[second.turns.count - 1]
      if let (one, other) = zip(expected.judgements, turn.judgements).first(where: { $0.isRefused != $1.isRefused }) {
        // What the watcher itself may do depends on what it can see.
        return one.isWatchers && one.viewHash == other.viewHash
          ? .leak(leak(expected.sent, turn.sent, at: number)) : .parted
      }
      guard expected.judgements.count == turn.judgements.count, expected.viewHash == turn.viewHash else {
        return .parted
      }
      guard expected.sent == turn.sent else { return .leak(leak(expected.sent, turn.sent, at: number)) }
    }
    return .secret
  }

  private func leak(_ expected: [LeakRun.Sent], _ sent: [LeakRun.Sent], at step: Int) -> Leak {
    var index = 0
    while index < expected.count, index < sent.count, expected[index] == sent[index] { index += 1 }
    let lastTurn = steps[..<step].lastIndex { if case .turn = $0 { true } else { false } }
    return Leak(
      seed: seed, typeName: plan.typeName, watcher: plan.watcher, step: step,
      steps: steps[((lastTurn ?? -1) + 1)..<step].map { "\($0)" },
      first: index < expected.count ? expected[index].text : "nothing",
      second: index < sent.count ? sent[index].text : "nothing")
  }
}

/// A difference that the watcher can see.
public struct Leak: Error, Hashable, Sendable, CustomStringConvertible {
  public let seed: UInt64
  public let typeName: String
  /// The number of the participant that can see it.
  public let watcher: Int
  /// The first step whose turn differs, and the steps of that turn.
  public let step: Int
  public let steps: [String]
  /// The frames of the two tables that differ.
  public let first: String
  public let second: String

  /// The leak in a line.
  public var summary: String {
    "I6: participant \(watcher) of a table \(typeName) can detect what it may not see, at step \(step)"
  }

  public var description: String {
    """
    \(summary)
    in this turn:
    \(steps.map { "  \($0)" }.joined(separator: "\n"))
    first table:
      \(first)
    second table:
      \(second)
    """
  }
}

extension LeakRun.Sent {
  fileprivate var text: String {
    let message = bytes.withUnsafeBytes { try? ServerMessage(delivery: $0) }
    let text = message.map { "\($0)" } ?? "no frame"
    return "turn \(turn), part \(part): \(text.prefix(4_000)) (\(bytes.count) bytes)"
  }
}
