extension TableState {
  /// The session that has the rights of a host: of those that sit, the one that came first. `nil` where nobody sits.
  public var host: SessionID? { seats.map(\.session).min() }

  /// Refuses whoever is not the host.
  package func checkHost(_ session: SessionID) throws(Refusal) {
    guard host == session else { throw Refusal(.permissionDenied, detail: "only the table's host may do that") }
  }
}

/// What the host asks for, as far as it is about the table; what is about sessions is settled where those are known.
extension Table {
  /// Whether an operation is the host's business, and none of the table type's.
  static func isForHost(_ action: String) -> Bool { action.hasPrefix(HostAction.prefix) }

  mutating func performForHost(
    _ name: String, _ destination: Destination?, _ judging: inout Judging
  ) throws(Refusal) -> Bool {
    if role == .replica { throw Judging.unpredictable }
    guard let action = HostAction(action: name, destination: destination) else {
      throw Refusal(.unknownAction, detail: "a host has no such action")
    }
    switch action {
    case .freeze(let collection): return try setEnabled(collection, false, &judging)
    case .thaw(let collection): return try setEnabled(collection, true, &judging)
    case .kick, .give, .invitePlayers, .inviteSpectators: throw Refusal(.operationNotSupported)
    }
  }

  private mutating func setEnabled(
    _ collection: CollectionHandle, _ isEnabled: Bool, _ judging: inout Judging
  ) throws(Refusal) -> Bool {
    let index = try known(collection)
    try state.checkHost(judging.author.session)
    guard state.isEnabled(collection) != isEnabled else { return false }
    state.setEnabled(index, isEnabled)
    judging.diff.changes.append(.enabled(collection, isEnabled))
    // The other action is what takes it back.
    judging.isFinal = true
    return true
  }
}
