import BaizeBot
import BaizeTable

/// A table's collections as lines of text: cards laid out as on a real table, anything else in columns.
struct DemoPicture {
  let state: TableState
  /// Items to point out.
  let latest: Set<ItemID>

  /// - Parameters:
  ///   - columns: How wide it may be.
  ///   - rows: How high it may be.
  func lines(columns: Int, rows: Int) -> [DemoText] {
    let stacks = stacks
    guard !stacks.isEmpty, let stock = state.type.handle(of: "stock"), let waste = state.type.handle(of: "waste") else {
      return columnLines(state.handles.map { ($0, id(of: $0)) }, columns: columns, rows: rows, widthMax: 24)
    }
    let foundations = handles { $0.hasPrefix("foundation/") }
    let width = Self.cardColumns(columns)
    var tops = DemoText()
    var counts = DemoText()
    let gap = max(0, stacks.count - 2 - foundations.count)
    let places: [CollectionHandle?] = [stock, waste] + Array(repeating: nil, count: gap) + foundations
    for place in places {
      tops.append((place.map(top) ?? DemoText()).fitted(to: width))
      counts.append(DemoText(place.map { "\(state.count(in: $0))" } ?? "", .dim).fitted(to: width))
    }
    var names = DemoText()
    for place in places {
      names.append(DemoText(String((place.map(title) ?? "").prefix(width - 1)), .dim).fitted(to: width))
    }
    let piles = stacks.map { ($0, String(id(of: $0).dropFirst("pile/".count))) }
    return [names, tops, counts, DemoText()]
      + columnLines(piles, columns: width * piles.count, rows: rows - 4, widthMax: width)
  }

  /// How wide a table's picture is at least.
  static func columns(of state: TableState) -> Int {
    let stacks = DemoPicture(state: state, latest: []).stacks
    return columnsMin * (stacks.isEmpty ? state.handles.count : stacks.count)
  }

  /// A card and some room.
  private static let columnsMin = 5

  /// The piles of a card table.
  private var stacks: [CollectionHandle] { handles { $0.hasPrefix("pile/") } }

  /// How wide cards are laid out: 10♦ and some room.
  private static func cardColumns(_ columns: Int) -> Int { columns >= 42 ? 6 : columnsMin }

  // MARK: Collections

  private func handles(where condition: (String) -> Bool) -> [CollectionHandle] {
    state.handles.filter { condition(id(of: $0)) }
  }

  private func id(of handle: CollectionHandle) -> String { state.type.collections[Int(handle.rawValue) - 1].id }

  /// `stock`, `♣`.
  private func title(_ handle: CollectionHandle) -> String {
    let id = id(of: handle)
    switch id {
    case "foundation/clubs": return "♣"
    case "foundation/diamonds": return "♦"
    case "foundation/hearts": return "♥"
    case "foundation/spades": return "♠"
    default: return id
    }
  }

  private func top(_ handle: CollectionHandle) -> DemoText {
    state.lastItem(in: handle).map(text) ?? DemoText("··", .dim)
  }

  /// Collections side by side, each from the top down.
  private func columnLines(
    _ places: [(handle: CollectionHandle, title: String)], columns: Int, rows: Int, widthMax: Int
  ) -> [DemoText] {
    guard !places.isEmpty, rows > 1 else { return [] }
    let width = max(Self.columnsMin, min(widthMax, columns / places.count))
    let shown = places.prefix(max(1, columns / width))
    let contents = shown.map { column($0.handle, rows: rows - 1) }
    var heads = DemoText()
    for place in shown { heads.append(DemoText(place.title, .dim).cut(to: width - 1).fitted(to: width)) }
    let height = contents.map(\.count).max() ?? 0
    return [heads]
      + (0..<height).map { row in
        var line = DemoText()
        for content in contents {
          line.append((row < content.count ? content[row].cut(to: width - 1) : DemoText()).fitted(to: width))
        }
        return line
      }
  }

  /// A collection's items. Where there are too many, those that are hidden become one line, and then the first are left
  /// out.
  private func column(_ handle: CollectionHandle, rows: Int) -> [DemoText] {
    let count = state.count(in: handle)
    guard count > 0 else { return [DemoText("··", .dim)] }
    let items = state.items(in: handle, from: max(0, count - Self.itemsMax), limit: Self.itemsMax)
    var lines = items.map { text($0.id) }
    let hidden = items.prefix { $0.sight == .nobody }.count
    if lines.count > rows, hidden > 1 {
      lines = [DemoText("▒▒\(hidden)", .dim)] + lines.dropFirst(hidden)
    }
    if count > Self.itemsMax || lines.count > rows {
      lines = [DemoText("⋮ \(count)", .dim)] + lines.suffix(rows - 1)
    }
    return lines
  }

  private static let itemsMax = 200

  // MARK: Items

  private func text(_ item: ItemID) -> DemoText {
    guard let known = state.item(item), known.sight != .nobody else { return DemoText("▒▒", .dim) }
    let isFresh = latest.contains(item)
    let isRed = known.face["suit"] == .text("hearts") || known.face["suit"] == .text("diamonds")
    let style: DemoText.Style = isRed ? (isFresh ? .freshRed : .red) : (isFresh ? .fresh : .plain)
    return DemoText(Narration.name(of: item, at: state), style)
  }
}
