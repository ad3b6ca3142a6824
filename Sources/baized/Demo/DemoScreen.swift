import BaizeBot
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport

/// The demo's display of a table, as lines of text.
struct DemoScreen {
  let table: DemoTable
  let options: DemoOptions
  let statistics: ServerStatistics
  /// The number of contended operations, at all tables.
  let contended: Int
  let address: SocketAddress
  /// The address for browsers; `nil` without one.
  let httpAddress: SocketAddress?
  let seconds: Int
  /// Whether a person can play.
  let hasKeys: Bool

  /// The sentence that introduces the demo.
  static let sentence = "Baize: one table, alike on all screens. Moves show at once, a server decides."

  // MARK: In a terminal

  /// Returns the whole screen.
  ///
  /// ```
  /// the sentence, the title
  /// ──────────────────────────────────────────────
  ///  one copy │ another copy │ what happened
  /// ──────────────────────────────────────────────
  /// what happened, if there is no room beside the copies
  /// ──────────────────────────────────────────────
  /// the signs, counters, keys, the command to join
  /// ```
  func lines(columns: Int, rows: Int) -> [StyledText] {
    var head = [StyledText(" " + Self.sentence, .bold), title(columns)]
    if rows >= Self.rowsWithSeats { head.append(seats) }
    head.append(.rule(columns))
    let foot = [StyledText.rule(columns), ItemMark.legend, copies(columns), keys, joining] + browsing
    let height = max(4, rows - head.count - foot.count)
    let shown = table.shown
    let natural = shown.map { TablePicture(state: $0.replica.state).naturalColumns + 2 }.max() ?? 0
    let hasRoom = columns - 2 * max(natural, Self.copyColumnsMin) - 2 * Self.separator.count >= Self.newsColumns
    let width = hasRoom ? max(natural, Self.copyColumnsMin) : (columns - Self.separator.count) / 2
    let newsRows = hasRoom ? 0 : max(Self.newsRowsMin, height / 4)
    let left = height - newsRows - (hasRoom ? 0 : 1)
    var parts = (0..<2).map { copy($0 < shown.count ? shown[$0] : nil, at: $0, width, left) }
    var widths = [width, width]
    if hasRoom {
      widths.append(columns - 2 * width - 2 * Self.separator.count)
      parts.append(Array(news(widths[2], left)))
    }
    let body = (0..<left).map { row in beside(parts.map { row < $0.count ? $0[row] : StyledText() }, widths) }
    let below = hasRoom ? [] : [StyledText.rule(columns)] + filled(Array(news(columns, newsRows)), newsRows)
    return (head + body + below + foot).map { $0.cut(to: columns) }
  }

  private static let separator = " │ "
  /// The feed is beside the copies if there is enough room, otherwise below them.
  private static let newsColumns = 44
  private static let newsRowsMin = 3
  private static let copyColumnsMin = 38
  private static let rowsWithSeats = 30
  private static let captionRows = 2

  private func beside(_ parts: [StyledText], _ widths: [Int]) -> StyledText {
    var line = parts[0].fitted(to: widths[0])
    for (part, width) in zip(parts, widths).dropFirst() {
      line.append(Self.separator, .dim)
      line.append(part.fitted(to: width))
    }
    return line
  }

  private func filled(_ lines: [StyledText], _ rows: Int) -> [StyledText] {
    lines + Array(repeating: StyledText(), count: max(0, rows - lines.count))
  }

  /// Returns a copy: whose it is, its picture, and the last thing that happened to its participant's operations.
  private func copy(_ shown: DemoTable.Shown?, at number: Int, _ columns: Int, _ rows: Int) -> [StyledText] {
    guard let shown else { return [StyledText(" joining", .dim)] }
    var heading = StyledText(" \(shown.name)", .bold)
    if shown.cursor != nil { heading.append(": you", .boldGreen) }
    let delay = number == 0 ? 2 * options.delayMilliseconds : 0
    heading.append(delay > 0 ? ", \(delay) ms from the daemon" : ", next to the daemon", .dim)
    let pictureRows = rows - 1 - Self.captionRows
    let targets = shown.cursor?.targets(at: shown.replica) ?? []
    let picture = TablePicture(
      state: shown.replica.state, marks: shown.marks, cursor: shown.cursor, targets: targets
    ).lines(columns: columns, rows: pictureRows)
    return [heading] + filled(picture, pictureRows) + shown.caption.wrapped(to: columns, indent: 2)
  }

  private func news(_ columns: Int, _ rows: Int) -> ArraySlice<StyledText> {
    let entries = table.feed.entries.suffix(rows)
    return entries.flatMap { Self.line($0).wrapped(to: columns, indent: Self.textIndent) }.suffix(rows)
  }

  private func title(_ columns: Int) -> StyledText {
    var line = StyledText(" \(typeName) · table \(table.name) · deal \(table.seed)")
    if let state = table.state {
      line.append(" · revision \(state.revision.rawValue) · \(state.status.printable(lengthMax: 24))")
    }
    let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) "
    var full = line.fitted(to: max(0, columns - clock.count - 1))
    full.append(" " + clock, .dim)
    return full
  }

  private var typeName: String { table.state?.type.name ?? "…" }

  private var seats: StyledText {
    var line = StyledText(" seats ", .dim)
    guard let state = table.state else { return line }
    for number in 1...max(1, min(state.type.seatsMax, Self.seatsMax)) {
      let name = state.seats.first { Int($0.number.rawValue) == number }.map { $0.name.printable(lengthMax: 24) }
      line.append(" \(number) ", .dim)
      line.append((name ?? "free") + " ", name == nil ? .dim : .bold)
    }
    return line
  }

  private static let seatsMax = 8

  /// Returns the counters and the comparison, the first as far as there is room.
  private func copies(_ columns: Int) -> StyledText {
    let operations = statistics.operations
    let comparison = table.comparison
    var line = StyledText(" ")
    if comparison.revision == 0 {
      line.append("copies: not compared yet", .dim)
    } else {
      let isFine = comparison.differences.isEmpty
      line.append("\(comparison.equalCount) of \(comparison.count) copies equal", isFine ? .green : .red)
      line.append(" the daemon's at revision \(comparison.revision)", .dim)
    }
    for (number, what) in [
      (operations.accepted, "accepted"), (operations.refused, "refused"), (contended, "contended"),
      (operations.rebased, "rebased"), (operations.deliveries, "diffs delivered"),
    ] {
      let more = " · \(number) \(what)"
      guard line.columns + more.count <= columns else { break }
      line.append(more)
    }
    return line
  }

  private var keys: StyledText {
    guard hasKeys else { return StyledText(" Ctrl-C ends", .dim) }
    guard table.cursor != nil else {
      return StyledText(" press a key to play as \(table.name(ofCopy: 0)): arrows, space; q quits", .dim)
    }
    var line = StyledText(" arrows, space: lift, drop; esc: cancel; tab: next legal; u: undo; ", .dim)
    for (number, action) in (table.state?.type.actions ?? []).prefix(9).enumerated() {
      line.append("\(number + 1): \(action.name); ", .dim)
    }
    line.append("b: bot; q: quit", .dim)
    return line
  }

  private var joining: StyledText {
    var line = StyledText(" join in: ", .dim)
    line.append("swift run baize-bot --connect \(address) --table \(table.name)")
    return line
  }

  /// The link with which a browser joins at once.
  private var browsing: [StyledText] {
    guard let httpAddress else { return [] }
    var line = StyledText(" in a browser: ", .dim)
    line.append("http://\(httpAddress)/#table=\(table.name)&name=Guest")
    return [line]
  }

  /// The column at which the text of most lines begins.
  private static let textIndent = 11

  /// `142 Ann   6♦ from waste to pile/3 on 7♠`.
  static func line(_ entry: ActivityFeed.Entry) -> StyledText {
    let revision = entry.revision.map { "\($0)" } ?? ""
    var line = StyledText(String(repeating: " ", count: max(0, 4 - revision.count)) + revision + " ", .dim)
    let room = max(0, textIndent - 5 - entry.who.count - 1)
    let who = entry.who.isEmpty ? "" : entry.who + String(repeating: " ", count: room) + " "
    switch entry.kind {
    case .accepted:
      line.append(who, .bold)
      line.append(entry.text)
    case .refused:
      line.append(who, .bold)
      line.append(entry.text, .red)
    case .note: line.append(who + entry.text, .dim)
    }
    return line
  }

  // MARK: In a pipe

  /// Returns the present table, as the head of the log that follows.
  func transcriptHead() -> [String] {
    let picture = table.state.map {
      TablePicture(state: $0).lines(columns: Self.plainColumns, rows: Self.plainRows)
    }
    let head = [StyledText(Self.sentence), title(Self.plainColumns), seats, StyledText()]
    return (head + (picture ?? []) + [StyledText(), joining] + browsing + [StyledText()]).map { line in
      let text = line.plain
      return String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
    }
  }

  private static let plainColumns = 80
  private static let plainRows = 40
}
