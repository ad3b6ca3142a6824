/// Searches all states of the model, breadth first, so that what leads to a violation is as short as it can be.
package struct ClusterSearch {
  package enum Finding: Hashable, Sendable {
    case holds
    /// There are more states than were to be searched.
    case notFinished
    case violation(ClusterState.Violation)
    /// From so many states on, nobody can serve the table, or a node can never settle its turns.
    case stuck(Int, String)
  }

  package private(set) var finding = Finding.holds
  package private(set) var stateCount = 0
  /// The number of steps from the first state to the last ones.
  package private(set) var depth = 0
  /// What leads to the violation, or to a state in which something is stuck.
  package private(set) var trace: [ClusterStep] = []

  /// - Parameters:
  ///   - faults: The rules that are left out.
  ///   - statesMax: The most states that are searched.
  package init(_ bounds: ClusterBounds, without faults: ClusterFaults = [], statesMax: Int) {
    var numbers: [Fingerprint: Int32] = [:]
    var parents: [Int32] = [-1]
    var edges: [(to: Int32, from: Int32)] = []
    var isGood: [[Bool]] = [[], [], []]
    var layer = [ClusterState(bounds)]
    numbers[Fingerprint(of: layer[0])] = 0
    var first: Int32 = 0
    search: while !layer.isEmpty {
      var next: [ClusterState] = []
      for (offset, state) in layer.enumerated() {
        let number = first + Int32(offset)
        let successors = Successors(of: state, bounds, faults)
        let isServed = (0...1).contains { state.isServing($0, bounds.haveOneName ? 0 : UInt8($0)) }
        // What needs more epochs than there are is bounded by the model alone.
        isGood[0].append(successors.isAtEdge || isServed)
        for index in 0...1 { isGood[index + 1].append(successors.isAtEdge || state.isSettled(index)) }
        for var successor in successors.states.map(\.state) {
          successor.canonicalize(faults)
          let fingerprint = Fingerprint(of: successor)
          if let known = numbers[fingerprint] {
            edges.append((known, number))
            continue
          }
          let new = Int32(parents.count)
          numbers[fingerprint] = new
          parents.append(number)
          edges.append((new, number))
          if let violation = successor.violation {
            finding = .violation(violation)
            trace = Self.trace(to: new, parents, numbers, bounds, faults)
            break search
          }
          next.append(successor)
        }
        guard parents.count <= statesMax else {
          finding = .notFinished
          break search
        }
      }
      first += Int32(layer.count)
      layer = next
      if !layer.isEmpty { depth += 1 }
    }
    stateCount = parents.count
    guard finding == .holds else { return }
    edges.sort { $0.to < $1.to }
    let whats = ["nobody can serve the table", "the first node cannot settle", "the second node cannot settle"]
    for (what, isGood) in zip(whats, isGood) {
      let stuck = Self.stuck(isGood, edges)
      guard let state = stuck.first else { continue }
      finding = .stuck(stuck.count, what)
      trace = Self.trace(to: state, parents, numbers, bounds, faults)
      return
    }
  }

  /// Returns the states from which no good one can be reached.
  private static func stuck(_ isGood: [Bool], _ edges: [(to: Int32, from: Int32)]) -> [Int32] {
    var reaches = isGood
    var open = isGood.indices.filter { isGood[$0] }
    while let state = open.popLast() {
      var (low, high) = (0, edges.count)
      while low < high {
        let middle = (low + high) / 2
        if edges[middle].to < state { low = middle + 1 } else { high = middle }
      }
      while low < edges.count, edges[low].to == state {
        let from = Int(edges[low].from)
        if !reaches[from] {
          reaches[from] = true
          open.append(from)
        }
        low += 1
      }
    }
    return reaches.indices.filter { !reaches[$0] }.map(Int32.init)
  }

  private static func trace(
    to state: Int32, _ parents: [Int32], _ numbers: [Fingerprint: Int32], _ bounds: ClusterBounds,
    _ faults: ClusterFaults
  ) -> [ClusterStep] {
    var path = [state]
    while let last = path.last, parents[Int(last)] >= 0 { path.append(parents[Int(last)]) }
    var (current, steps) = (ClusterState(bounds), [ClusterStep]())
    for number in path.reversed().dropFirst() {
      for (successor, step) in Successors(of: current, bounds, faults).states {
        var successor = successor
        successor.canonicalize(faults)
        guard numbers[Fingerprint(of: successor)] == number else { continue }
        steps.append(step)
        current = successor
        break
      }
    }
    return steps
  }

  /// Identifies a state by two hashes of 64 bits each.
  private struct Fingerprint: Hashable {
    private let first: Int
    private let second: Int

    init(of state: ClusterState) {
      var (one, two) = (Hasher(), Hasher())
      one.combine(state)
      two.combine(1 as UInt8)
      two.combine(state)
      (first, second) = (one.finalize(), two.finalize())
    }
  }
}
