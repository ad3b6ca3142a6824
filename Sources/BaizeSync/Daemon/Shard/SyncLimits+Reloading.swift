import BaizeTable

extension SyncLimits {
  /// Returns the limits of a running daemon after `new` was read: all of them, except for those that clients know from their
  /// welcome or that the memory of connections depends on.
  func reloaded(from new: SyncLimits) -> SyncLimits {
    var reloaded = new
    reloaded.connections.frameBytesMax = connections.frameBytesMax
    reloaded.connections.heartbeatSeconds = connections.heartbeatSeconds
    reloaded.connections.outboxHardBytes = connections.outboxHardBytes
    reloaded.sessions.pendingOperationsMax = sessions.pendingOperationsMax
    return reloaded
  }
}
