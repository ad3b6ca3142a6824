/// The information that undo, and copies of what was removed, need about the operations in the table's window beyond the
/// ``History``: their authors, and their changes other than taking out items.
///
/// Flat arrays in the order of revisions, so that a move costs one short entry and no allocation.
struct UndoWindow: Sendable {
  /// An operation that may be undone as long as nothing touches its items and values.
  struct Operation: Sendable {
    var revision: Revision
    var author: SessionID
    var sequence: SequenceNumber
    /// The revision of the operation that it undid; zero if it is not an undo.
    var undoes: Revision
    var isUndone = false
  }

  /// The appearance of an item at one time.
  struct Appearance: Sendable {
    var face: Face
    var isFaceUp: Bool
    var isFaceKnown: Bool
    var isPinned: Bool
    /// The index of the collection that it opened; −1 for none.
    var opens: Int32 = -1
    /// The item that it was an alias of; none for an item of its own.
    var aliasOf = ItemID.none
    /// The number of the item's latest record in the ``History``.
    var lastTakeOut: Int
  }

  enum Note: Sendable {
    /// An id of a new item.
    case made(ItemID)
    /// An item that left the table, with its former appearance.
    case ended(ItemID, Appearance)
    /// An item whose appearance changed, with the former one.
    case changed(ItemID, Appearance)
    /// A variable with its former value.
    case variable(Attribute)
    /// The former status.
    case status(String)
  }

  /// The size of notes, as ``HistoryLimits`` count it.
  private struct Size {
    var (notes, bytes) = (0, 0)
    /// The memory of all faces and values in bytes, which only the account of memory counts.
    var faceMemory = 0

    /// Adds a note, or takes one away, as `sign` says.
    mutating func count(_ note: Note, _ sign: Int, faceBytes: Int?) {
      notes += sign
      bytes += sign * note.contentBytes(faceBytes: faceBytes)
      faceMemory += sign * note.faceMemory
    }

    /// Returns whether the notes exceed a part of the limits.
    func exceeds(_ limits: HistoryLimits, dividedBy divisor: Int = 1) -> Bool {
      notes > limits.undoNotesMax / divisor || bytes > limits.undoBytesMax / divisor
    }
  }

  struct Dated: Sendable {
    var revision: Revision
    var note: Note
  }

  /// Whether the table type allows undo or copies at all.
  private let isKept: Bool
  /// Whether each revision counts the same number of notes, whatever it has (see ``History/isUniform``).
  private let isUniform: Bool
  /// The size in bytes that each face counts; `nil` if each counts its own.
  private let faceBytes: Int?
  private var operations: [Operation] = []
  private var operationsHead = 0
  private var notes: [Dated] = []
  private var notesHead = 0
  private var size = Size()
  var limits = HistoryLimits()
  /// The last revision of which notes were forgotten.
  private(set) var forgottenNotes = Revision.zero
  /// The earliest of the operations that were rolled back last: the one predicted to come next.
  private(set) var rolledBack: Operation?

  /// Creates an empty window.
  init(isKept: Bool, isUniform: Bool = false, faceBytes: Int? = nil) {
    (self.isKept, self.isUniform, self.faceBytes) = (isKept, isUniform, faceBytes)
  }

  /// Creates an empty window for a table of a type.
  init(of type: TableType, isUniform: Bool) {
    self.init(isKept: type.allowsUndo || type.allowsCopies, isUniform: isUniform, faceBytes: type.faceBytes)
  }

  /// Whether notes are kept, the size of which is bounded.
  var hasNotes: Bool { !notes.isEmpty }

  // MARK: Recording

  /// Records a change.
  ///
  /// - Parameter note: Evaluated only if notes are kept, so that a face is copied only when it is kept.
  mutating func note(_ note: @autoclosure () -> Note, at revision: Revision) {
    guard isKept else { return }
    let note = note()
    size.count(note, 1, faceBytes: faceBytes)
    notes.append(Dated(revision: revision, note: note))
  }

  /// Records an operation that may be undone. If it undoes another, that one is undone from now on; if that one was an
  /// undo itself, the operation that it undid is in effect again.
  mutating func append(_ operation: Operation) {
    guard isKept else { return }
    operations.append(operation)
    if operation.undoes != .zero { flip(from: operation.undoes, isUndone: true) }
  }

  private mutating func flip(from revision: Revision, isUndone: Bool) {
    var (revision, isUndone) = (revision, isUndone)
    while revision != .zero, let index = index(of: revision) {
      operations[index].isUndone = isUndone
      isUndone.toggle()
      revision = operations[index].undoes
    }
  }

  /// Forgets operations and notes that are not newer than `oldest`, and those over the limits, now that the table is at `revision`.
  ///
  /// - Complexity: O(1), amortized.
  mutating func trim(to oldest: Revision, at revision: Revision) {
    var oldest = oldest
    if isUniform, !Mutation.undo.isActive {
      let revisionsMax = min(limits.undoNotesMax, limits.undoTakeOutsMax) / TableLimits.changesPerRevision
      oldest = max(oldest, Revision(rawValue: revision.rawValue - min(revision.rawValue, UInt64(revisionsMax))))
    } else if size.exceeds(limits) {
      oldest = max(oldest, revisionOverLimits)
    }
    forgottenNotes = max(forgottenNotes, oldest)
    trimNotes(to: oldest)
    while operationsHead < operations.count, operations[operationsHead].revision <= oldest { operationsHead += 1 }
    if operationsHead > 64, operationsHead * 2 > operations.count {
      operations.removeFirst(operationsHead)
      operationsHead = 0
    }
  }

  /// The revision up to which notes must be forgotten, so that half of what the limits allow is left.
  private var revisionOverLimits: Revision {
    var (index, left) = (notesHead, size)
    while index < notes.count, left.exceeds(limits, dividedBy: 2) {
      let revision = notes[index].revision
      repeat {
        left.count(notes[index].note, -1, faceBytes: faceBytes)
        index += 1
      } while index < notes.count && notes[index].revision == revision
    }
    return index > notesHead ? notes[index - 1].revision : .zero
  }

  private mutating func trimNotes(to oldest: Revision) {
    let first = notesHead
    while notesHead < notes.count, notes[notesHead].revision <= oldest {
      size.count(notes[notesHead].note, -1, faceBytes: faceBytes)
      // Its face would use memory while it is in the array.
      notes[notesHead].note = .made(.none)
      notesHead += 1
    }
    if notesHead > first, notesHead * 2 >= notes.count {
      notes.removeFirst(notesHead)
      notesHead = 0
    }
  }

  /// Forgets operations and notes newer than `revision`, which were rolled back.
  mutating func rollBack(to revision: Revision) {
    rolledBack = nil
    while operations.count > operationsHead, let last = operations.last, last.revision > revision {
      operations.removeLast()
      rolledBack = last
      flip(from: last.undoes, isUndone: false)
    }
    while notes.count > notesHead, let last = notes.last, last.revision > revision {
      size.count(last.note, -1, faceBytes: faceBytes)
      notes.removeLast()
    }
  }

  // MARK: Memory

  /// The memory of the operations and notes, in bytes.
  var memoryBytes: Int {
    operations.capacity * MemoryLayout<Operation>.stride + notes.capacity * MemoryLayout<Dated>.stride
      + size.faceMemory
  }

  /// Returns memory that was needed for more, and that of forgotten faces.
  mutating func shrink() {
    if operations.capacity > (operations.count - operationsHead) * 5 / 4 + 64 {
      operations = Array(operations[operationsHead...])
      operationsHead = 0
    }
    if notesHead > 0 || notes.capacity > notes.count * 5 / 4 + 16 {
      notes = Array(notes[notesHead...])
      notesHead = 0
    }
  }

  // MARK: Lookup

  /// Returns the operation of `author` with this number, if it may be undone.
  ///
  /// - Complexity: O(n) for n operations in the window; the latest are found first.
  func operation(_ sequence: SequenceNumber, of author: SessionID) -> Operation? {
    operations[operationsHead...].last { $0.sequence == sequence && $0.author == author }
  }

  /// Returns whether the operation at `revision` has no effect as seen from `base`: it was undone since, or it only
  /// undid an operation after `base`.
  func isCancelled(_ revision: Revision, since base: Revision) -> Bool {
    guard let index = index(of: revision) else { return false }
    return operations[index].isUndone || operations[index].undoes > base
  }

  /// Returns the notes on the diffs after `base` up to `last`, oldest first.
  func notes(since base: Revision, through last: Revision = Revision(rawValue: .max)) -> ArraySlice<Dated> {
    let first = notes[notesHead...].partitionIndex { $0.revision > base }
    return notes[first...].prefix { $0.revision <= last }
  }

  /// Returns whether the operation at `revision` is known to be of `author`.
  func isOperation(at revision: Revision, of author: SessionID) -> Bool {
    index(of: revision).map { operations[$0].author == author } ?? false
  }

  private func index(of revision: Revision) -> Int? {
    let index = operations[operationsHead...].partitionIndex { $0.revision >= revision }
    return index < operations.count && operations[index].revision == revision ? index : nil
  }
}

extension UndoWindow.Note {
  /// Returns the size in bytes of the former face or value, measured as ``Face/contentBytes``; of a face `faceBytes`, if that is not
  /// `nil`.
  fileprivate func contentBytes(faceBytes: Int? = nil) -> Int {
    switch self {
    case .made, .status: 0
    case .ended(_, let appearance), .changed(_, let appearance):
      Mutation.undo.isActive ? appearance.face.contentBytes : faceBytes ?? appearance.face.contentBytes
    case .variable(let attribute): attribute.contentBytes
    }
  }

  /// The memory of the former face or value, in bytes.
  fileprivate var faceMemory: Int {
    let parts =
      switch self {
      case .made, .status: 0
      case .ended(_, let appearance), .changed(_, let appearance): appearance.face.partCount
      case .variable: 1
      }
    return Face.memoryBytes(contentBytes: contentBytes(), parts: parts)
  }
}
