public import BaizeSync
public import BaizeTable
import BaizeTransport

/// An operation that was asked for: what shows of it at once, and in time the daemon's answer.
public struct Submission: Sendable {
  /// As it is sent; `nil` where it was refused here already, and so never sent.
  public var operation: TableOperation? { submitted?.operation }
  /// What the local rules make of it.
  public let prediction: Prediction
  /// What changed at once for a user interface. The same changes come as an event, in order with all others.
  public var changes: [TableChange] { submitted?.changes ?? [] }
  /// `nil` where it was refused here.
  let submitted: Replica.Submission?
  private let promise: Promise<Answer>

  init(_ submission: Replica.Submission, _ promise: Promise<Answer>) {
    submitted = submission
    prediction = submission.prediction
    self.promise = promise
  }

  /// What is refused without asking anyone.
  init(refused refusal: Refusal) {
    submitted = nil
    prediction = .refused(refusal)
    promise = Promise(.refused(refusal))
  }

  /// The daemon's answer: accepted, unchanged or refused, with the reason; `.unknown` where the session ended before it.
  ///
  /// Any number of tasks may ask, and none must. What is refused has been taken back from the replica by then.
  ///
  /// - Throws: `CancellationError` when the asking task is cancelled; the operation goes on.
  public var outcome: Answer {
    get async throws(CancellationError) { try await promise.value() }
  }

  /// Why it was refused here, if it was.
  public var refusal: Refusal? {
    if case .refused(let refusal) = prediction { refusal } else { nil }
  }

  /// The provisional ids of the items that it makes, in order. When the daemon has named the items, a `.renamed` says how;
  /// operations may name them by these, at once and later.
  public var madeItems: [ItemID] {
    changes.compactMap { change in
      if case .inserted(let item, _) = change, item.isProvisional { item } else { nil }
    }
  }
}

extension Reason {
  // What a client refuses by itself, because there is nothing to judge it with or no one to send it to.

  /// There is no table yet, or not any more.
  public static let notJoined = Reason(rawValue: "NOT_JOINED")
  /// As many operations wait for their answers as the daemon takes.
  public static let tooManyUnanswered = Reason(rawValue: "TOO_MANY_UNANSWERED")
}
