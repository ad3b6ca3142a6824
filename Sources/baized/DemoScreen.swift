import BaizeBot
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport

/// The demo's display of a table, as lines of text.
struct DemoScreen {
  let table: DemoTable
  let statistics: ServerStatistics
  /// The number of contended operations, at all tables.
  let contended: Int
  let address: SocketAddress
  let seconds: Int

  // MARK: In a terminal

  /// The whole screen.
  ///
  /// ```
  /// the title and the status
  /// ───────────────────────────────
  ///  the table │ what happened
  /// ───────────────────────────────
  /// counters, copies, the command to join
  /// ```
  func lines(columns: Int, rows: Int) -> [StyledText] {
    let head = [title(columns), seats, StyledText.rule(columns)]
    var last = joining
    last.append("   Ctrl-C ends", .dim)
    let foot = [StyledText.rule(columns), counters, copies, last].map { $0.cut(to: columns) }
    let height = max(4, rows - head.count - foot.count)
    let width = pictureColumns(of: columns)
    let body = columns - width >= Self.newsColumns ? besides(columns, width, height) : stacked(columns, height)
    return head.map { $0.cut(to: columns) } + (0..<height).map { $0 < body.count ? body[$0] : StyledText() } + foot
  }

  /// The feed is beside the table if there is enough room, otherwise below it.
  private static let newsColumns = 40

  private func pictureColumns(of columns: Int) -> Int {
    let needed = 1 + (table.state.map { TablePicture.columns(of: $0) } ?? 0)
    return max(needed, min(43, columns - 53))
  }

  private func besides(_ columns: Int, _ width: Int, _ rows: Int) -> [StyledText] {
    let left = picture(width, rows)
    let right = Array(news(columns - width - 3, rows))
    return (0..<rows).map { row in
      var line = (row < left.count ? left[row] : StyledText()).fitted(to: width)
      line.append(" │ ", .dim)
      if row < right.count { line.append(right[row]) }
      return line
    }
  }

  private func stacked(_ columns: Int, _ rows: Int) -> [StyledText] {
    let newsRows = min(Self.newsRows, rows / 2)
    let top = picture(columns, rows - newsRows - 1).map { $0.cut(to: columns) }
    let free = Array(repeating: StyledText(), count: max(0, rows - newsRows - 1 - top.count))
    return top + free + [StyledText.rule(columns)] + news(columns, newsRows)
  }

  private static let newsRows = 8

  private func picture(_ columns: Int, _ rows: Int) -> [StyledText] {
    guard let state = table.state else { return [StyledText(" the cards are being dealt", .dim)] }
    return TablePicture(state: state, latest: table.latest).lines(columns: columns - 1, rows: rows).map { line in
      var indented = StyledText(" ")
      indented.append(line)
      return indented
    }
  }

  private func news(_ columns: Int, _ rows: Int) -> ArraySlice<StyledText> {
    let entries = table.feed.entries.suffix(rows)
    return entries.flatMap { Self.line($0).wrapped(to: columns, indent: Self.textIndent) }.suffix(rows)
  }

  private func title(_ columns: Int) -> StyledText {
    var line = StyledText(" Baize ", .bold)
    line.append(" \(typeName) · table \(table.name) · deal \(table.seed)")
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

  private var counters: StyledText {
    let operations = statistics.operations
    var line = StyledText(" ")
    func count(_ number: Int, _ what: String, _ style: StyledText.Style) {
      line.append("\(number)", style)
      line.append(" \(what)   ")
    }
    count(operations.accepted, "accepted", .green)
    count(operations.refused, "refused (\(contended) contended)", .yellow)
    count(operations.rebased, "rebased", .plain)
    count(operations.deliveries, "diffs delivered", .plain)
    return line
  }

  private var copies: StyledText {
    let comparison = table.comparison
    guard comparison.revision > 0 else { return StyledText(" copies: not compared yet", .dim) }
    var line = StyledText(" copies: ", .dim)
    let isFine = comparison.differences.isEmpty
    line.append("\(comparison.equalCount) of \(comparison.count) equal", isFine ? .green : .red)
    line.append(" to the daemon's at revision \(comparison.revision), hash \(comparison.hash.hexadecimal)", .dim)
    return line
  }

  private var joining: StyledText {
    var line = StyledText(" join in: ", .dim)
    line.append("baize-bot --connect \(address) --table \(table.name)")
    return line
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
      line.append(entry.text, .yellow)
    case .note: line.append(who + entry.text, .dim)
    }
    return line
  }

  // MARK: In a pipe

  /// The present table, as the head of the log that follows.
  func transcriptHead() -> [String] {
    let lines = [title(Self.plainColumns), seats, StyledText()] + picture(Self.plainColumns, Self.plainRows)
    return (lines + [StyledText(), joining, StyledText()]).map { line in
      let text = line.plain
      return String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
    }
  }

  private static let plainColumns = 80
  private static let plainRows = 40
}

extension UInt64 {
  /// Sixteen digits.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
