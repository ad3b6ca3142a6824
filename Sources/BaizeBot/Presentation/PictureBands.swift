/// A collection as a column of text.
struct PictureCell {
  /// The common part of the names of collections that belong together; empty for none.
  let family: String
  let heading: StyledText
  let lines: [StyledText]
  /// The line that must stay visible.
  let focus: Int?
  /// Whether it may be left out where room is scarce.
  var isEmpty = false
  var width: Int

  init(
    family: String, heading: StyledText, lines: [StyledText], focus: Int?, isEmpty: Bool = false, width: Int? = nil
  ) {
    self.family = family
    self.heading = heading
    self.lines = lines
    self.focus = focus
    self.isEmpty = isEmpty
    self.width = width ?? 1 + max(heading.columns, lines.map(\.columns).max() ?? 0)
  }

  /// Returns the lines that fit into a height, around the one that must stay visible, or else the last.
  func lines(rows: Int) -> [StyledText] {
    guard lines.count > rows, rows > 0 else { return lines }
    let start = max(0, min(focus.map { $0 - rows / 2 } ?? lines.count, lines.count - rows))
    var shown = Array(lines[start..<start + rows])
    if start > 0, rows > 1, focus != start { shown[0] = StyledText(" ⋮\(start + 1)", .dim) }
    let left = lines.count - start - rows
    if left > 0, rows > 1, focus != start + rows - 1 { shown[rows - 1] = StyledText(" ⋮\(left + 1)", .dim) }
    return shown
  }
}

/// Collections side by side, in bands one below the other.
struct PictureBands {
  private let columns: Int
  private let bands: [[PictureCell]]
  /// The bands without the empty members of families.
  private let shortBands: [[PictureCell]]

  init(_ cells: [PictureCell], _ columns: Int) {
    self.columns = columns
    bands = Self.bands(of: cells, columns)
    shortBands = Self.bands(of: Self.withoutEmpty(cells), columns)
  }

  /// Returns the width of all cells side by side.
  static func columns(of cells: [PictureCell]) -> Int { widened(cells).reduce(0) { $0 + $1.width } }

  func lines(rows: Int) -> [StyledText] {
    let needed = bands.reduce(0) { $0 + Self.height(of: $1, rows: .max) }
    var bands = needed > rows ? shortBands : bands
    // The band of the cursor stays.
    while bands.count > 1, bands.reduce(0, { $0 + Self.height(of: $1, rows: 1) }) > rows {
      bands.remove(at: bands.last.map { $0.contains { $0.focus != nil } } == true ? 0 : bands.count - 1)
    }
    var heights = bands.map { Self.height(of: $0, rows: .max) - Self.headings(of: $0) }
    let room = rows - bands.reduce(0) { $0 + Self.headings(of: $1) }
    while heights.reduce(0, +) > room, let most = heights.max(), most > 1, let index = heights.lastIndex(of: most) {
      heights[index] -= 1
    }
    return zip(bands, heights).flatMap { lines(of: $0, rows: $1) }
  }

  private func lines(of band: [PictureCell], rows: Int) -> [StyledText] {
    let contents = band.map { $0.lines(rows: rows) }
    var heading = StyledText()
    for cell in band { heading.append(cell.heading.fitted(to: cell.width)) }
    var lines = Self.headings(of: band) == 2 ? [families(of: band), heading] : [heading]
    for row in 0..<(contents.map(\.count).max() ?? 0) {
      var line = StyledText()
      for (cell, content) in zip(band, contents) {
        line.append((row < content.count ? content[row].cut(to: cell.width) : StyledText()).fitted(to: cell.width))
      }
      lines.append(line)
    }
    return lines
  }

  private func families(of band: [PictureCell]) -> StyledText {
    var line = StyledText()
    for group in Self.groups(of: band) {
      line.append(StyledText(" " + group[0].family, .dim).fitted(to: group.reduce(0) { $0 + $1.width }))
    }
    return line
  }

  // MARK: Bands

  private static func bands(of cells: [PictureCell], _ columns: Int) -> [[PictureCell]] {
    var bands: [[PictureCell]] = []
    for cell in cells {
      let wider = widened((bands.last ?? []) + [cell])
      if !bands.isEmpty, wider.reduce(0, { $0 + $1.width }) <= columns {
        bands[bands.count - 1].append(cell)
      } else {
        bands.append([cell])
      }
    }
    return bands.map(widened)
  }

  /// Widens the last member of each family to the family's name.
  private static func widened(_ band: [PictureCell]) -> [PictureCell] {
    groups(of: band).flatMap { group in
      var group = group
      let missing = group[0].family.terminalColumns + 2 - group.reduce(0) { $0 + $1.width }
      if !group[0].family.isEmpty, missing > 0 { group[group.count - 1].width += missing }
      return group
    }
  }

  /// Returns the runs of neighbours of the same family.
  private static func groups(of band: [PictureCell]) -> [[PictureCell]] {
    var groups: [[PictureCell]] = []
    for cell in band {
      if let last = groups.last?.first, !cell.family.isEmpty, last.family == cell.family {
        groups[groups.count - 1].append(cell)
      } else {
        groups.append([cell])
      }
    }
    return groups
  }

  /// Leaves out all but the first of the empty members that follow one another in a family.
  private static func withoutEmpty(_ cells: [PictureCell]) -> [PictureCell] {
    groups(of: cells).flatMap { group in
      var rest = group.filter { !$0.isEmpty }
      if !group[0].family.isEmpty, rest.count < group.count - 1 {
        let count = group.count - rest.count
        rest.append(
          PictureCell(
            family: group[0].family, heading: StyledText(" \(count) empty", .dim),
            lines: [StyledText(" ··", .dim)], focus: nil))
        return rest
      }
      return group
    }
  }

  private static func headings(of band: [PictureCell]) -> Int { band.contains { !$0.family.isEmpty } ? 2 : 1 }

  private static func height(of band: [PictureCell], rows: Int) -> Int {
    headings(of: band) + min(rows, band.map(\.lines.count).max() ?? 0)
  }
}
