/// A comparison of all copies of a table with the daemon's hashes. Each copy is one seat's view, or a spectator's, and has
/// a hash of its own where seats see different things.
///
/// Copies and daemon are never at one revision at one moment while others play, so each copy's hashes are kept for a while,
/// and the daemon's hash is compared with that of its revision.
package struct CopyComparison {
  private struct Copy {
    /// The copy's hashes by revision.
    var hashes: [UInt64: UInt64] = [:]
    /// The daemon's last hash of this view, and its revision; 0 before the first.
    var daemonHash: UInt64 = 0
    var daemonRevision: UInt64 = 0

    /// Whether the copy has reached the revision of the daemon's last hash.
    var isCompared: Bool { daemonRevision > 0 && hashes[daemonRevision] != nil }
    var isEqual: Bool { isCompared && hashes[daemonRevision] == daemonHash }
  }

  private var copies: [Copy]
  /// The copies that differed, with the revision.
  package private(set) var differences: [(copy: Int, revision: UInt64)] = []

  /// The number of revisions for which hashes are kept.
  private static let revisionsMax: UInt64 = 1_024

  package init(copies: Int) { self.copies = Array(repeating: Copy(), count: copies) }

  package var count: Int { copies.count }

  /// The number of copies with the daemon's last hash of their view.
  package var equalCount: Int { copies.count { $0.isEqual } }

  /// The revision up to which every copy was compared; 0 if one was not yet.
  package var revision: UInt64 { copies.map { $0.isCompared ? $0.daemonRevision : 0 }.min() ?? 0 }

  package mutating func note(_ hash: UInt64, at revision: UInt64, ofCopy copy: Int) {
    copies[copy].hashes[revision] = hash
    if revision > Self.revisionsMax { copies[copy].hashes[revision - Self.revisionsMax] = nil }
    if revision == copies[copy].daemonRevision, hash != copies[copy].daemonHash { differences.append((copy, revision)) }
  }

  /// Notes the daemon's hash of a copy's view.
  package mutating func note(daemon hash: UInt64, at revision: UInt64, ofCopy copy: Int) {
    (copies[copy].daemonHash, copies[copy].daemonRevision) = (hash, revision)
    if let own = copies[copy].hashes[revision], own != hash { differences.append((copy, revision)) }
  }
}
