import TestSupport
import Testing

@testable import BaizeTable

/// The forms of a diff for its receivers (I6), compared with the views themselves, for all combinations of audiences and
/// hidden faces.
@Suite struct DiffViewTests {
  private static let viewers = (0...3).map { SeatNumber(rawValue: $0) }
  private static let seats = Array(viewers.dropFirst())
  private static let audiences: [Audience] = [.everyone] + seats.flatMap { [.only($0), .except($0)] }
  private static let end = Placement.end(of: CollectionHandle(rawValue: 1))

  /// One change of each kind, those with faces once for each set of viewers that may see them.
  private static let changes: [Change] = {
    let item = ItemID(rawValue: 7)
    let visibilities: [FaceVisibility] = [.everyone, .nobody] + seats.map { .seat($0) }
    let items = visibilities.map {
      Item(id: item, collection: end.collection, face: Face(attributes: [Attribute("rank", 1)]), visibility: $0)
    }
    return items.flatMap { [.inserted([$0], end), .faced([$0])] }
      + [
        .moved([item], end), .removed([item]), .status("won"), .enabled(end.collection, false),
        .counted(end.collection, 3), .variables([Attribute("round", 2)]), .seats([]),
      ]
  }()

  private static func diff(_ changes: [(Change, Audience)]) -> Diff {
    var diff = Diff(
      revision: Revision(rawValue: 9), author: SessionID(rawValue: 1), sequence: SequenceNumber(rawValue: 4),
      operation: .move, isRebased: true, isRedirected: true)
    for (change, audience) in changes { diff.append(change, for: audience) }
    return diff
  }

  /// All diffs of two changes, of which the first has any audience.
  private static let diffs = changes.flatMap { first in
    audiences.flatMap { audience in changes.map { diff([(first, audience), ($0, .everyone)]) } }
  }

  @Test func `a seat's view is distinct exactly if it is not the spectators'`() {
    for diff in Self.diffs {
      for seat in Self.seats {
        #expect(diff.isDistinct(for: seat) == (diff.view(for: seat) != diff.view(for: .spectator)))
      }
    }
  }

  @Test func `a diff hides something exactly if a viewer does not see all of it`() {
    for diff in Self.diffs {
      #expect(diff.hidesFaces == Self.viewers.contains { diff.view(for: $0).changes != diff.changes })
    }
  }

  /// The number of its operation, and what it meant to do, concern its author alone.
  @Test(arguments: audiences)
  func `others receive the changes, and the drop operation if spectators see more than counts`(_ audience: Audience) {
    for change in Self.changes {
      let others = Self.diff([(change, audience)]).forOthers
      #expect(others.changes == [change] && others.audience(at: 0) == audience)
      #expect(others.revision == Revision(rawValue: 9) && others.author == SessionID(rawValue: 1))
      #expect(others.sequence == .zero && !others.isRebased && !others.isRedirected)
      let isCount = if case .counted = change { true } else { false }
      #expect(others.operation == (audience.includes(.spectator) && !isCount ? .move : .cancel))
    }
  }

  @Test func `what a stamp replaces of a hidden face is shown to nobody`() throws {
    let (hand, done) = (CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2))
    let type = TableType(
      name: "desk", document: "desk", seatsMax: 2, contention: .last,
      collections: [
        CollectionRules(id: "hand/1", kind: 0, owner: SeatNumber(rawValue: 1)), CollectionRules(id: "done", kind: 1),
      ],
      kinds: [
        CollectionKind(name: "hand", faces: .owner, isPrivate: true, accept: AcceptRule()),
        CollectionKind(name: "done", accept: AcceptRule(stamps: [AcceptRule.Stamp(name: "note", value: nil)])),
      ],
      setUp: SetUp(decks: [
        Deck(contents: .numbered(count: 1, attribute: "note"), deals: [.init(to: hand)])
      ]))
    var table = Table(type: type, random: RandomSource(seed: 1))
    let move = TableOperation.Kind.move([table.state.itemIDs(in: hand)[0]], to: .end(of: done))
    var author = TestAuthor()
    let diff = try #require(author.ask(move, of: &table).diff)
    for viewer in Self.viewers {
      let shown = diff.view(for: viewer).changes.flatMap { change -> [Item] in
        switch change {
        case .inserted(let items, _), .faced(let items): items
        default: []
        }
      }
      #expect(!shown.isEmpty && shown.allSatisfy { $0.face.attributes.isEmpty }, "seat \(viewer.rawValue)")
    }
  }
}
