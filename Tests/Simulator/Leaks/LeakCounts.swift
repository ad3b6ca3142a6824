/// The findings of pairs, which show whether the pairs prove anything.
public struct LeakCounts: CustomStringConvertible, Sendable {
  private var secret = 0
  private var parted = 0
  private var same = 0

  public init() {}

  public mutating func count(_ finding: LeakPair.Finding) {
    switch finding {
    case .secret: secret += 1
    case .parted: parted += 1
    case .same: same += 1
    case .leak: break
    }
  }

  /// Whether most pairs differed and stayed equal to the watcher to the end.
  public var isSignificant: Bool { secret > parted + same }

  public var description: String {
    "\(secret) to the end, \(parted) up to where they parted, \(same) without a difference"
  }
}
