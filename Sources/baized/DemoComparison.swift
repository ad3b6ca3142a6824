/// Compares the hashes of a table's copies with the daemon's.
///
/// While others play, the copies and the daemon are at different revisions. So the comparison keeps each copy's hashes for
/// a while and compares the daemon's hash with those of the same revision.
struct DemoComparison {
  /// The hashes by copy and revision.
  private var hashes: [[UInt64: UInt64]]
  /// The revision of the daemon's last hash.
  private(set) var revision: UInt64 = 0
  /// The daemon's last hash.
  private(set) var hash: UInt64 = 0
  /// The copies that differed, with the revisions.
  private(set) var differences: [(copy: Int, revision: UInt64)] = []

  /// The number of revisions for which hashes are kept.
  private static let revisionsMax: UInt64 = 1_024

  init(copies: Int) { hashes = Array(repeating: [:], count: copies) }

  var count: Int { hashes.count }

  /// The number of copies with the daemon's last hash.
  var equalCount: Int { hashes.count { $0[revision] == hash } }

  /// Whether every copy has reached the revision of the daemon's last hash.
  var isComplete: Bool { revision > 0 && hashes.allSatisfy { $0[revision] != nil } }

  mutating func add(_ hash: UInt64, at revision: UInt64, ofCopy copy: Int) {
    hashes[copy][revision] = hash
    if revision > Self.revisionsMax { hashes[copy][revision - Self.revisionsMax] = nil }
    if revision == self.revision, hash != self.hash { differences.append((copy, revision)) }
  }

  mutating func add(daemonHash hash: UInt64, at revision: UInt64) {
    (self.revision, self.hash) = (revision, hash)
    for (copy, known) in hashes.enumerated() {
      if let own = known[revision], own != hash { differences.append((copy, revision)) }
    }
  }
}
