package import BaizeTable

/// A table's collections as lines of text: cards laid out as on a real table, anything else in columns.
package struct TablePicture {
  private let state: TableState
  private let latest: Set<ItemID>

  /// - Parameter latest: The items to highlight.
  package init(state: TableState, latest: Set<ItemID>) {
    self.state = state
    self.latest = latest
  }

  /// - Parameters:
  ///   - columns: The maximum width.
  ///   - rows: The maximum height.
  package func lines(columns: Int, rows: Int) -> [StyledText] {
    let stacks = stacks
    guard !stacks.isEmpty, let stock = state.type.handle(of: "stock"), let waste = state.type.handle(of: "waste") else {
      return columnLines(state.handles.map { ($0, id(of: $0)) }, columns: columns, rows: rows, widthMax: 24)
    }
    let foundations = handles { $0.hasPrefix("foundation/") }
    let width = Self.cardColumns(columns)
    var tops = StyledText()
    var counts = StyledText()
    let gap = max(0, stacks.count - 2 - foundations.count)
    let cells: [CollectionHandle?] = [stock, waste] + Array(repeating: nil, count: gap) + foundations
    for cell in cells {
      tops.append((cell.map(top) ?? StyledText()).fitted(to: width))
      counts.append(StyledText(cell.map { "\(state.count(in: $0))" } ?? "", .dim).fitted(to: width))
    }
    var names = StyledText()
    for cell in cells {
      names.append(StyledText(String((cell.map(title) ?? "").prefix(width - 1)), .dim).fitted(to: width))
    }
    let piles = stacks.map { ($0, String(id(of: $0).dropFirst("pile/".count))) }
    return [names, tops, counts, StyledText()]
      + columnLines(piles, columns: width * piles.count, rows: rows - 4, widthMax: width)
  }

  /// The minimum width of a table's picture.
  package static func columns(of state: TableState) -> Int {
    let stacks = TablePicture(state: state, latest: []).stacks
    return columnsMin * (stacks.isEmpty ? state.handles.count : stacks.count)
  }

  /// A card and some room.
  private static let columnsMin = 5

  /// The piles of a card table.
  private var stacks: [CollectionHandle] { handles { $0.hasPrefix("pile/") } }

  /// The width of a card: 10♦ and some room.
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

  private func top(_ handle: CollectionHandle) -> StyledText {
    state.lastItem(in: handle).map(text) ?? StyledText("··", .dim)
  }

  /// Collections side by side, each from the top down.
  private func columnLines(
    _ cells: [(handle: CollectionHandle, title: String)], columns: Int, rows: Int, widthMax: Int
  ) -> [StyledText] {
    guard !cells.isEmpty, rows > 1 else { return [] }
    let width = max(Self.columnsMin, min(widthMax, columns / cells.count))
    let shown = cells.prefix(max(1, columns / width))
    let contents = shown.map { column($0.handle, rows: rows - 1) }
    var heads = StyledText()
    for cell in shown { heads.append(StyledText(cell.title, .dim).cut(to: width - 1).fitted(to: width)) }
    let height = contents.map(\.count).max() ?? 0
    return [heads]
      + (0..<height).map { row in
        var line = StyledText()
        for content in contents {
          line.append((row < content.count ? content[row].cut(to: width - 1) : StyledText()).fitted(to: width))
        }
        return line
      }
  }

  /// The items of a collection. If there are too many, hidden ones become one line, and then the first are left out.
  private func column(_ handle: CollectionHandle, rows: Int) -> [StyledText] {
    let count = state.count(in: handle)
    guard count > 0 else { return [StyledText("··", .dim)] }
    let items = state.items(in: handle, from: max(0, count - Self.itemsMax), limit: Self.itemsMax)
    var lines = items.map { text($0.id) }
    let hidden = items.prefix { $0.visibility == .nobody }.count
    if lines.count > rows, hidden > 1 {
      lines = [StyledText("▒▒\(hidden)", .dim)] + lines.dropFirst(hidden)
    }
    if count > Self.itemsMax || lines.count > rows {
      lines = [StyledText("⋮ \(count)", .dim)] + lines.suffix(rows - 1)
    }
    return lines
  }

  private static let itemsMax = 200

  // MARK: Items

  private func text(_ item: ItemID) -> StyledText {
    guard let known = state.item(item), known.visibility != .nobody else { return StyledText("▒▒", .dim) }
    let isFresh = latest.contains(item)
    let isRed = known.face["suit"] == .text("hearts") || known.face["suit"] == .text("diamonds")
    let style: StyledText.Style = isRed ? (isFresh ? .freshRed : .red) : (isFresh ? .fresh : .plain)
    return StyledText(Narration.name(of: item, at: state), style)
  }
}
