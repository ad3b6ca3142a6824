public import BaizeSync
public import BaizeTable
import BaizeTransport

/// An operation that the app has submitted: its local effect at once, and the daemon's answer when it arrives.
///
/// ```swift
/// let submission = client.reorder(difference)      // the visible state has changed already
/// switch try await submission.outcome {
/// case .accepted(let diff): print("accepted as revision \(diff.revision.rawValue)")
/// case .acceptedBefore, .unchanged, .invited: break
/// case .refused(let refusal): print(refusal.detail)  // the visible state is rolled back
/// case .unknown: print("the session ended first")
/// }
/// ```
public struct Submission: Sendable {
  /// The operation as sent to the daemon; `nil` if the client refused it and sent nothing.
  public var operation: TableOperation? { submitted?.operation }
  /// The result that the local rules predict.
  public let prediction: Prediction
  /// The changes to the visible state. The same changes also arrive as an event, in order with all others.
  public let changes: [TableChange]
  /// The operation's id, by which a later process can ask what became of it; `nil` without a session store, unless the app
  /// gave it one, and if the client refused it.
  public var id: OperationID? { submitted?.id }
  /// The replica's record of the operation; `nil` if the client refused it.
  let submitted: Replica.Submission?
  private let promise: Promise<Resolution?>

  /// - Parameter changes: The visible changes, with the ids that the app knows.
  init(_ submission: Replica.Submission, _ changes: [TableChange], _ promise: Promise<Resolution?>) {
    submitted = submission
    self.changes = changes
    prediction = submission.prediction
    self.promise = promise
  }

  /// Creates a submission that the client refuses without sending anything.
  init(refused refusal: Refusal) {
    submitted = nil
    changes = []
    prediction = .refused(refusal)
    promise = Promise(Resolution(.refused(refusal)))
  }

  /// Creates a submission that would change nothing, so that nothing is sent.
  init(unchanged: Void) {
    submitted = nil
    changes = []
    prediction = .unchanged
    promise = Promise(Resolution(.unchanged))
  }

  /// The daemon's answer: accepted, unchanged or refused with a reason; `.unknown` if the session ended first.
  ///
  /// Any number of tasks may await it; an app may also ignore it. By the time of a refusal the replica has rolled the
  /// operation back.
  ///
  /// - Throws: `CancellationError` if the awaiting task is cancelled, or if the client was closed before the answer and its
  ///   session store has the operation. The operation itself is not cancelled.
  public var outcome: Answer {
    get async throws(CancellationError) { try await resolution.answer }
  }

  /// The items that the operation has moved, removed, changed or created, once the daemon has answered.
  ///
  /// A collection may take only some of the items: these are the ones that it took, in their order. The list is empty for an
  /// operation without effect, and `nil` if the answer does not say which: after a reconnect, of an operation that was
  /// accepted before.
  ///
  /// - Throws: `CancellationError` in the cases of ``outcome``.
  public var acceptedItems: [ItemID]? {
    get async throws(CancellationError) { try await resolution.items }
  }

  private var resolution: Resolution {
    get async throws(CancellationError) {
      guard let resolution = try await promise.value() else { throw CancellationError() }
      return resolution
    }
  }

  /// The refusal by the local rules; `nil` if the operation was sent.
  public var refusal: Refusal? {
    if case .refused(let refusal) = prediction { refusal } else { nil }
  }

  /// The ids of the items that the operation creates, in order.
  ///
  /// These are the items' ids for this client from now on: in what it reads, in its changes and for its operations.
  public var createdItems: [ItemID] {
    changes.compactMap { change in
      if case .inserted(let item, _) = change, item.isLocal { item } else { nil }
    }
  }
}

extension Submission: CustomStringConvertible {
  public var description: String {
    operation.map { "operation \($0.sequence.rawValue), \(prediction)" } ?? "not sent, \(prediction)"
  }
}
