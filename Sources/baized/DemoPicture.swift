import BaizeBot
import BaizeTable

/// A table's collections as lines of text: cards laid out as on a real table, anything else in columns.
struct DemoPicture {
  let state: TableState
  /// The items to highlight.
  let latest: Set<ItemID>

  /// - Parameters:
  ///   - columns: The maximum width.
  ///   - rows: The maximum height.
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
    let slots: [CollectionHandle?] = [stock, waste] + Array(repeating: nil, count: gap) + foundations
    for slot in slots {
      tops.append((slot.map(top) ?? DemoText()).fitted(to: width))
      counts.append(DemoText(slot.map { "\(state.count(in: $0))" } ?? "", .dim).fitted(to: width))
    }
    var names = DemoText()
    for slot in slots {
      names.append(DemoText(String((slot.map(title) ?? "").prefix(width - 1)), .dim).fitted(to: width))
    }
    let piles = stacks.map { ($0, String(id(of: $0).dropFirst("pile/".count))) }
    return [names, tops, counts, DemoText()]
      + columnLines(piles, columns: width * piles.count, rows: rows - 4, widthMax: width)
  }

  /// Returns the minimum width of a table's picture.
  static func columns(of state: TableState) -> Int {
    let stacks = DemoPicture(state: state, latest: []).stacks
    return columnsMin * (stacks.isEmpty ? state.handles.count : stacks.count)
  }

  /// The width of a card and a space.
  private static let columnsMin = 5

  /// The piles of a card table.
  private var stacks: [CollectionHandle] { handles { $0.hasPrefix("pile/") } }

  /// Returns the width of a card: 10♦ and some space.
  private static func cardColumns(_ columns: Int) -> Int { columns >= 42 ? 6 : columnsMin }

  // MARK: Collections

  private func handles(where condition: (String) -> Bool) -> [CollectionHandle] {
    state.handles.filter { condition(id(of: $0)) }
  }

  private func id(of handle: CollectionHandle) -> String { state.type.collections[Int(handle.rawValue) - 1].id }

  /// Returns a collection's heading, such as `stock` or `♣`.
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

  /// Returns collections side by side, each in a column from the top down.
  private func columnLines(
    _ collections: [(handle: CollectionHandle, title: String)], columns: Int, rows: Int, widthMax: Int
  ) -> [DemoText] {
    guard !collections.isEmpty, rows > 1 else { return [] }
    let width = max(Self.columnsMin, min(widthMax, columns / collections.count))
    let shown = collections.prefix(max(1, columns / width))
    let contents = shown.map { column($0.handle, rows: rows - 1) }
    var heads = DemoText()
    for collection in shown { heads.append(DemoText(collection.title, .dim).cut(to: width - 1).fitted(to: width)) }
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

  /// Returns a collection's items. If there are too many, the hidden ones become one line, and then the first ones are
  /// omitted.
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
