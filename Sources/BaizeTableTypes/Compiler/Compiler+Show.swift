import BaizeTable

/// `show`: how items and collections look. No rule reads it, so that names in it need not exist.
extension Compiler {
  /// Reads the top level's `show`.
  func readAppearance(_ node: Node) -> Appearance {
    let keys = ["title", "detail", "face", "colour", "back", "fields", "rules"]
    guard let fields = object(node, required: [], optional: keys) else { return Appearance() }
    if let node = fields["fields"] { checkFields(node) }
    if let node = fields["rules"] { checkRules(node) }
    return Appearance(
      titles: fields["title"].map { readTitles($0) } ?? [],
      detail: fields["detail"].flatMap { plainName($0) },
      face: fields["face"].map { shownAttributes($0).compactMap(readFacePart) } ?? [],
      color: fields["colour"].flatMap { readColor($0) },
      back: fields["back"].flatMap { word($0, Self.palette) })
  }

  /// Reads `show` of an entry of `collections`.
  func readShownKind(_ node: Node) -> (title: String?, layout: Appearance.Layout?) {
    guard let fields = object(node, required: [], optional: ["title", "layout"]) else { return (nil, nil) }
    let layouts: KeyValuePairs<String, Appearance.Layout> = [
      "cascade": .cascade, "fan": .fan, "list": .list, "pile": .pile, "row": .row,
    ]
    return (fields["title"].flatMap { sentence($0) }, fields["layout"].flatMap { word($0, layouts) })
  }

  private static let palette: KeyValuePairs<String, Appearance.PaletteColor> = [
    "black": .black, "blue": .blue, "green": .green, "grey": .grey, "orange": .orange, "pink": .pink,
    "purple": .purple, "red": .red, "teal": .teal, "yellow": .yellow,
  ]

  /// Checks `fields`: what a page shows of an item that is opened, besides its title. Programs here open none, and keep nothing of it.
  private func checkFields(_ node: Node) {
    for node in list(node, countMin: 1, countMax: TableLimits.attributesPerItemMax) {
      guard let fields = object(node, required: ["attribute", "as"], optional: ["title"]) else { continue }
      _ = fields["attribute"].flatMap { plainName($0) }
      _ = fields["as"].flatMap { word($0, Self.fieldKinds) }
      _ = fields["title"].flatMap { sentence($0) }
    }
  }

  /// Checks `rules`: what a page says of how it is played.
  private func checkRules(_ node: Node) {
    for node in list(node, countMin: 1, countMax: DocumentLimits.rulesParagraphsMax) { _ = sentence(node) }
  }

  private static let fieldKinds: KeyValuePairs<String, Bool> = [
    "comments": true, "date": true, "labels": true, "line": true, "number": true, "person": true, "text": true,
  ]

  private func readTitles(_ node: Node) -> [String] {
    guard case .array = node.json.content else { return [plainName(node)].compactMap { $0 } }
    return shownAttributes(node).compactMap { plainName($0) }
  }

  private func shownAttributes(_ node: Node) -> [Node] {
    list(node, countMin: 1, countMax: DocumentLimits.shownAttributesMax)
  }

  private func readFacePart(_ node: Node) -> Appearance.FacePart? {
    guard case .object = node.json.content else { return plainName(node).map { Appearance.FacePart(attribute: $0) } }
    let lengthMax = DocumentLimits.faceTextLengthMax
    return readValues(node) { value in
      text(value, "longer than \(lengthMax) characters") { $0.unicodeScalars.count <= lengthMax }
    }.map { Appearance.FacePart(attribute: $0.attribute, texts: $0.values) }
  }

  private func readColor(_ node: Node) -> Appearance.Color? {
    guard case .object = node.json.content else { return word(node, Self.palette).map { .same($0) } }
    return readValues(node) { word($0, Self.palette) }.map { .byValue(attribute: $0.attribute, colors: $0.values) }
  }

  /// Reads `{"attribute": "suit", "values": {"hearts": …}}`.
  private func readValues<Shown>(
    _ node: Node, _ read: (Node) -> Shown?
  ) -> (attribute: String, values: [String: Shown])? {
    guard let fields = object(node, required: ["attribute", "values"]) else { return nil }
    let attribute = fields["attribute"].flatMap { plainName($0) }
    var values: [String: Shown] = [:]
    if let node = fields["values"] {
      guard case .object(let members) = node.json.content else {
        reportType("an object", at: node)
        return nil
      }
      if members.count > DocumentLimits.shownValuesMax {
        report(.form, "\(members.count) values; \(DocumentLimits.shownValuesMax) are allowed", at: node)
      }
      for member in members.prefix(DocumentLimits.shownValuesMax) {
        values[member.key] = read(node.child(member))
      }
    }
    return attribute.map { ($0, values) }
  }
}
