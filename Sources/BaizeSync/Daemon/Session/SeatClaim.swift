import BaizeTable

/// What a signed token says about a seat.
struct SeatClaim: Sendable {
  /// Whether it admits a viewer.
  let isViewer: Bool
  /// The seat that it names; `nil` for any.
  private let seat: SeatNumber?

  init(_ rights: TokenRights) { (isViewer, seat) = (rights.isViewer, rights.seat) }

  func admits(to seat: SeatNumber) -> Bool { !isViewer && (self.seat == nil || self.seat == seat) }
}
