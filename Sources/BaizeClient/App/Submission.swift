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
  public var changes: [TableChange] { submitted?.changes ?? [] }
  /// The replica's record of the operation; `nil` if the client refused it.
  let submitted: Replica.Submission?
  private let promise: Promise<Answer>

  init(_ submission: Replica.Submission, _ promise: Promise<Answer>) {
    submitted = submission
    prediction = submission.prediction
    self.promise = promise
  }

  /// Creates a submission that the client refuses without sending anything.
  init(refused refusal: Refusal) {
    submitted = nil
    prediction = .refused(refusal)
    promise = Promise(.refused(refusal))
  }

  /// The daemon's answer: accepted, unchanged or refused with a reason; `.unknown` if the session ended first.
  ///
  /// Any number of tasks may await it; an app may also ignore it. By the time of a refusal the replica has rolled the
  /// operation back.
  ///
  /// - Throws: `CancellationError` if the awaiting task is cancelled. The operation itself is not cancelled.
  public var outcome: Answer {
    get async throws(CancellationError) { try await promise.value() }
  }

  /// The refusal by the local rules; `nil` if the operation was sent.
  public var refusal: Refusal? {
    if case .refused(let refusal) = prediction { refusal } else { nil }
  }

  /// The provisional ids of the items that the operation creates, in order.
  ///
  /// Operations may refer to the items by these ids at once and later. A `.renamed` change reports the daemon's ids.
  public var createdItems: [ItemID] {
    changes.compactMap { change in
      if case .inserted(let item, _) = change, item.isProvisional { item } else { nil }
    }
  }
}

extension Reason {
  /// The client has no table: it has not joined yet or has left. Only the client itself refuses for this reason.
  public static let notJoined = Reason(rawValue: "NOT_JOINED")
}
