/// A comparison of all copies of a table with the daemon's hash.
///
/// Copies and daemon are never at one revision at one moment while others play, so each copy's hashes are kept for a while,
/// and the daemon's hash is compared with those of its revision.
package struct CopyComparison {
  /// By copy, then by revision.
  private var hashes: [[UInt64: UInt64]]
  /// The daemon's last hash, and its revision.
  package private(set) var revision: UInt64 = 0
  package private(set) var hash: UInt64 = 0
  /// The copies that differed, with the revision.
  package private(set) var differences: [(copy: Int, revision: UInt64)] = []

  /// The number of revisions for which hashes are kept.
  private static let revisionsMax: UInt64 = 1_024

  package init(copies: Int) { hashes = Array(repeating: [:], count: copies) }

  package var count: Int { hashes.count }

  /// The number of copies with the daemon's last hash.
  package var equalCount: Int { hashes.count { $0[revision] == hash } }

  /// Whether every copy has reached the daemon's revision.
  package var isComplete: Bool { revision > 0 && hashes.allSatisfy { $0[revision] != nil } }

  package mutating func note(_ hash: UInt64, at revision: UInt64, ofCopy copy: Int) {
    hashes[copy][revision] = hash
    if revision > Self.revisionsMax { hashes[copy][revision - Self.revisionsMax] = nil }
    if revision == self.revision, hash != self.hash { differences.append((copy, revision)) }
  }

  package mutating func note(daemon hash: UInt64, at revision: UInt64) {
    (self.revision, self.hash) = (revision, hash)
    for (copy, known) in hashes.enumerated() {
      if let own = known[revision], own != hash { differences.append((copy, revision)) }
    }
  }
}
