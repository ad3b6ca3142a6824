import BaizeTable

/// A queue of the turns' frames, in order, until the turns are durable.
struct TurnQueue {
  private(set) var open = FrameBatch()
  private var held: [(turn: TurnNumber, batch: FrameBatch)] = []
  /// The size in memory of the held batches, in bytes.
  private(set) var heldBytes = 0
  private var released: [FrameBatch] = []
  /// The index of the first batch that was not handed out yet.
  private var nextRelease = 0
  private var spare: [FrameBatch] = []
  private var last = TurnNumber(rawValue: 0)
  /// The last turn that frames wait for. Later frames may depend on its effects, even if it sent nothing itself.
  private var awaited = TurnNumber(rawValue: 0)
  private(set) var committed = TurnNumber(rawValue: 0)

  /// The memory of all batches, in bytes.
  var memoryBytes: Int { heldBytes + open.memoryBytes + spare.count * Self.spareBytesMax }

  /// The size of a batch above which it is not kept for later turns.
  private static let spareBytesMax = 256 << 10

  /// The number of the present turn, if it has something to write.
  var next: TurnNumber { last.next }

  /// Ends the present turn.
  ///
  /// - Parameters:
  ///   - hasWrites: Whether there is something to commit.
  ///   - holds: Whether the turn's frames wait for the commit.
  /// - Returns: The number to commit; `nil` if there is nothing to write.
  @discardableResult
  mutating func close(hasWrites: Bool, holds: Bool) -> TurnNumber? {
    if hasWrites { last = last.next }
    if holds { awaited = last }
    if !open.isEmpty {
      let batch = open
      open = spare.popLast() ?? FrameBatch()
      // Frames that need no commit also wait while others do, since each connection has one ordered queue.
      let waits = awaited > committed && !Mutation.early.isActive
      if waits {
        held.append((awaited, batch))
        heldBytes += batch.memoryBytes
      } else {
        released.append(batch)
      }
    }
    return hasWrites ? last : nil
  }

  mutating func commit(_ turn: TurnNumber) {
    committed = max(committed, turn)
    let count = held.prefix { $0.turn <= turn }.count
    released.append(contentsOf: held.prefix(count).map(\.batch))
    heldBytes -= held.prefix(count).reduce(0) { $0 + $1.batch.memoryBytes }
    held.removeFirst(count)
  }

  /// Removes the held frames, which will never be durable, except those that do not depend on them.
  mutating func void(except isSound: (ConnectionID) -> Bool) {
    heldBytes = 0
    for (_, batch) in held {
      batch.keepRuns(to: isSound)
      released.append(batch)
    }
    held.removeAll()
    awaited = committed
    open.keepRuns(to: isSound)
  }

  mutating func nextReleased() -> FrameBatch? {
    guard nextRelease < released.count else {
      released.removeAll(keepingCapacity: true)
      nextRelease = 0
      return nil
    }
    nextRelease += 1
    return released[nextRelease - 1]
  }

  mutating func recycle(_ batch: FrameBatch) {
    guard spare.count < 4, batch.memoryBytes <= Self.spareBytesMax else { return }
    batch.removeAll()
    spare.append(batch)
  }
}
