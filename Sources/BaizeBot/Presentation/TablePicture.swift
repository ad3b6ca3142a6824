package import BaizeTable

/// A table's collections as lines of text: cards laid out as on a real table, anything else in columns, in as many bands as
/// the width requires, so that no name is cut.
package struct TablePicture {
  private let state: TableState
  private let marks: [ItemID: ItemMark]
  private let cursor: TableCursor?
  private let targets: Set<CollectionHandle>

  /// - Parameters:
  ///   - marks: The items to mark.
  ///   - cursor: A person's cursor; `nil` for none.
  ///   - targets: The collections that would accept what the cursor carries.
  package init(
    state: TableState, marks: [ItemID: ItemMark] = [:], cursor: TableCursor? = nil,
    targets: Set<CollectionHandle> = []
  ) {
    self.state = state
    self.marks = marks
    self.cursor = cursor
    self.targets = targets
  }

  /// Returns at most `rows` lines of at most `columns` columns.
  package func lines(columns: Int, rows: Int) -> [StyledText] {
    let lines =
      isCardTable ? cardTable(columns, rows) : PictureBands(cells(wrappingTo: columns), columns).lines(rows: rows)
    return lines.prefix(rows).map { $0.cut(to: columns) }
  }

  /// The width at which all collections are side by side.
  package var naturalColumns: Int {
    isCardTable ? Self.cardColumnsMax * stacks.count : PictureBands.columns(of: cells(wrappingTo: Self.nameColumnsMax))
  }

  private static let cardColumnsMax = 6
  private static let cardColumnsMin = 5
  private static let nameColumnsMin = 7
  private static let nameColumnsMax = 60

  // MARK: Card tables

  /// The piles of a card table.
  private var stacks: [CollectionHandle] { handles { $0.hasPrefix("pile/") } }

  private var isCardTable: Bool {
    !stacks.isEmpty && state.type.handle(of: "stock") != nil && state.type.handle(of: "waste") != nil
  }

  /// Stock, waste and foundations as one card each, above the piles.
  private func cardTable(_ columns: Int, _ rows: Int) -> [StyledText] {
    let stacks = stacks
    let foundations = handles { $0.hasPrefix("foundation/") }
    let width = min(Self.cardColumnsMax, max(Self.cardColumnsMin, columns / stacks.count))
    // The names of stock and waste are wider than a card.
    let single = handles { $0 == "stock" || $0 == "waste" }.map { (handle: $0, width: max(width, Self.nameColumnsMin)) }
    let right = foundations.map { (handle: $0, width: width) }
    let gap = width * stacks.count - (single + right).reduce(0) { $0 + $1.width }
    var (names, cards, counts) = (StyledText(), StyledText(), StyledText())
    func append(_ cell: (handle: CollectionHandle, width: Int)) {
      names.append(heading(cell.handle, as: symbol(of: cell.handle)).fitted(to: cell.width))
      cards.append(top(cell.handle).fitted(to: cell.width))
      counts.append(StyledText(" \(state.count(in: cell.handle))", .dim).fitted(to: cell.width))
    }
    single.forEach(append)
    let space = StyledText(String(repeating: " ", count: max(0, gap)))
    names.append(space)
    cards.append(space)
    counts.append(space)
    right.forEach(append)
    let piles = stacks.map { pile in
      PictureCell(
        family: "", heading: heading(pile, as: String(id(of: pile).dropFirst("pile/".count))),
        lines: column(pile, wrappingTo: width).lines, focus: column(pile, wrappingTo: width).focus, width: width)
    }
    return [names, cards, counts] + PictureBands(piles, width * piles.count).lines(rows: rows - 3)
  }

  /// Returns the last item, or what the cursor carries to it.
  private func top(_ handle: CollectionHandle) -> StyledText {
    if let cursor, cursor.collection == handle, cursor.isCarrying { return carried(by: cursor) }
    guard let last = state.lastItem(in: handle) else { return empty(isFocused: cursor?.collection == handle) }
    return text(last, isFocused: cursor?.collection == handle)
  }

  /// Returns the text on the faces of a collection's cards, such as its suit, or else its name.
  private func symbol(of handle: CollectionHandle) -> String {
    let attributes = state.rules(of: handle).attributes
    for part in state.type.appearance.face {
      if let value = attributes.first(where: { $0.name == part.attribute })?.value { return part.text(for: value) }
    }
    return id(of: handle)
  }

  // MARK: Collections

  private func handles(where condition: (String) -> Bool) -> [CollectionHandle] {
    state.handles.filter { condition(id(of: $0)) }
  }

  private func id(of handle: CollectionHandle) -> String { Narration.name(of: handle, at: state) }

  private func heading(_ handle: CollectionHandle, as title: String) -> StyledText {
    let isTarget = targets.contains(handle)
    return StyledText((isTarget ? "✓" : " ") + title, isTarget ? .boldGreen : .dim)
  }

  private func cells(wrappingTo columns: Int) -> [PictureCell] {
    state.handles.map { handle in
      let isOpened = state.opener(of: handle) != .none
      let parts = isOpened ? [id(of: handle)[...]] : id(of: handle).split(separator: "/", maxSplits: 1)
      let (lines, focus) = column(handle, wrappingTo: columns - 1)
      return PictureCell(
        family: parts.count == 2 ? String(parts[0]) : "",
        heading: heading(handle, as: String(parts.last ?? "")), lines: lines, focus: focus,
        isEmpty: state.count(in: handle) == 0 && cursor?.collection != handle && !targets.contains(handle))
    }
  }

  /// Returns the items of a collection, and the line of the cursor.
  private func column(_ handle: CollectionHandle, wrappingTo width: Int) -> (lines: [StyledText], focus: Int?) {
    let cursor = cursor.flatMap { $0.collection == handle ? $0 : nil }
    let count = state.count(in: handle)
    let start = max(0, min(cursor.map { $0.offset - Self.itemsMax / 2 } ?? count, count - Self.itemsMax))
    let items = state.items(in: handle, from: start, limit: Self.itemsMax)
    var lines: [StyledText] = start > 0 ? [StyledText(" ⋮ \(start) more", .dim)] : []
    var focus: Int?
    for (number, item) in items.enumerated() {
      let isFocused = cursor.map { $0.offset == start + number } ?? false
      if isFocused { focus = lines.count }
      if isFocused, let cursor, cursor.isCarrying { lines.append(carried(by: cursor)) }
      lines += text(item.id, isFocused: isFocused && cursor?.isCarrying == false).wrapped(to: width, indent: 2)
    }
    if let cursor, cursor.isCarrying, focus == nil {
      focus = lines.count
      lines.append(carried(by: cursor))
    } else if items.isEmpty {
      focus = cursor.map { _ in lines.count }
      lines.append(count == 0 ? empty(isFocused: cursor != nil) : StyledText(" \(count) ▒▒", .dim))
    }
    return (lines, focus)
  }

  private static let itemsMax = 200

  // MARK: Items

  private static let cursorSign = "▸"

  private func empty(isFocused: Bool) -> StyledText {
    isFocused ? StyledText(Self.cursorSign + "··", .bold) : StyledText(" ··", .dim)
  }

  /// Returns the items that the cursor carries, where they would land.
  private func carried(by cursor: TableCursor) -> StyledText {
    let more = cursor.carried.count > 1 ? "+\(cursor.carried.count - 1)" : ""
    return StyledText(
      Self.cursorSign + (cursor.carried.first.map { Narration.name(of: $0, at: state) } ?? "") + more, .boldGreen)
  }

  private func text(_ item: ItemID, isFocused: Bool) -> StyledText {
    guard let known = state.item(item), known.visibility != .nobody else {
      return StyledText((isFocused ? Self.cursorSign : " ") + "▒▒", isFocused ? .bold : .dim)
    }
    let mark = marks[item]
    let isRed = state.type.appearance.color(of: known.face) == .red
    var text = StyledText(isFocused ? Self.cursorSign : mark?.sign ?? " ", isFocused ? .bold : mark?.style ?? .plain)
    let style: StyledText.Style =
      switch mark {
      case .fresh?: isRed ? .freshRed : .fresh
      case .refused?, .rebased?: mark?.style ?? .plain
      case .pending?, nil:
        isRed ? (isFocused || mark != nil ? .boldRed : .red) : isFocused ? .bold : mark?.style ?? .plain
      }
    let isCarried = cursor?.carried.contains(item) ?? false
    text.append(Narration.name(of: item, at: state), isCarried ? .dim : style)
    return text
  }
}
