/// Whether every copy of a table has the hash that the daemon says.
///
/// Copies and daemon are never at one revision at one moment while others play, so each copy's hashes are kept for a
/// while, and the daemon's word is held against those of its revision.
struct DemoComparison {
  /// By copy, then by revision.
  private var hashes: [[UInt64: UInt64]]
  /// What the daemon said last.
  private(set) var revision: UInt64 = 0
  private(set) var hash: UInt64 = 0
  /// Copies that were seen to differ, with the revision.
  private(set) var differences: [(copy: Int, revision: UInt64)] = []

  /// For how many revisions hashes are kept.
  private static let revisionsMax: UInt64 = 1_024

  init(copies: Int) { hashes = Array(repeating: [:], count: copies) }

  var count: Int { hashes.count }

  /// How many copies have the hash that the daemon said last.
  var equalCount: Int { hashes.count { $0[revision] == hash } }

  /// Whether every copy has come to the revision that the daemon spoke of.
  var isComplete: Bool { revision > 0 && hashes.allSatisfy { $0[revision] != nil } }

  mutating func note(_ hash: UInt64, at revision: UInt64, ofCopy copy: Int) {
    hashes[copy][revision] = hash
    if revision > Self.revisionsMax { hashes[copy][revision - Self.revisionsMax] = nil }
    if revision == self.revision, hash != self.hash { differences.append((copy, revision)) }
  }

  mutating func note(daemon hash: UInt64, at revision: UInt64) {
    (self.revision, self.hash) = (revision, hash)
    for (copy, known) in hashes.enumerated() {
      if let own = known[revision], own != hash { differences.append((copy, revision)) }
    }
  }
}
