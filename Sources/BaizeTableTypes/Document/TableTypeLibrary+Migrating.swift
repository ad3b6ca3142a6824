public import BaizeTable

/// The present documents of tables with older ones (rule M3).
extension TableTypeLibrary {
  /// Returns whether there is a type of the same name with another document.
  public func hasOtherDocument(than type: TableType) -> Bool {
    self[type.name].map { !$0.text.hasBytes(of: type.document) } ?? false
  }

  /// Returns whether a table's type is the one that `text` names; options that it does not name may also have the values of
  /// older tables (rule J3). Nothing is compiled.
  public func isType(_ type: TableType, named text: String) throws(TableTypeError) -> Bool {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let document = self[name] else { throw .unknownType(name, known: documents.map(\.name)) }
    let named = try OptionText.parse(parts.count == 2 ? String(parts[1]) : "", for: document.options)
    guard document.name.hasBytes(of: type.name) else { return false }
    let isKnown = type.options.allSatisfy { own in document.options.contains { $0.name.hasBytes(of: own.name) } }
    return isKnown
      && document.options.allSatisfy { option in
        let own = type.options.first { $0.name.hasBytes(of: option.name) }?.value
        let value = own ?? option.olderValue ?? option.defaultValue
        if let named = named[option.name] { return named == value }
        return value == option.defaultValue || value == option.olderValue
      }
  }

  /// Returns what a table's type becomes with the present document of the same name and the table's options; `nil` if there
  /// is none, or if the table has it.
  ///
  /// - Parameters:
  ///   - type: The table's type.
  ///   - text: The type as the table's creator named it.
  public func presentType(for type: TableType, named text: String) -> PresentType? {
    guard hasOtherDocument(than: type), let document = self[type.name] else { return nil }
    return document.presentType(for: type, named: text)
  }
}

extension TableTypeDocument {
  /// Returns what the type of a table with another document becomes, with the table's options.
  ///
  /// - Parameters:
  ///   - old: The table's type.
  ///   - text: The type as the table's creator named it.
  public func presentType(for old: TableType, named text: String) -> PresentType {
    var obstacles: [MigrationObstacle] = []
    var kept: [Attribute] = []
    for option in old.options {
      guard let value = option.value else { continue }
      if let declared = options.first(where: { $0.name.hasBytes(of: option.name) }) {
        if declared.allows(value) { kept.append(option) } else { obstacles.append(.optionValue(option.name, value)) }
      } else if old.defaultValue(ofOption: option.name) != value {
        obstacles.append(.optionGone(option.name, value))
      }
    }
    for option in options where !old.options.contains(where: { $0.name.hasBytes(of: option.name) }) {
      if let value = option.olderValue { kept.append(Attribute(name: option.name, value: value)) }
    }
    do throws(TableTypeError) {
      let type = try makeTableType(options: kept)
      return PresentType(type, text: self.text(of: type, named: text), obstacles: obstacles)
    } catch {
      return PresentType(defaultTableType, text: name, obstacles: obstacles + [.options(error.description)])
    }
  }

  /// Returns how a creator names a type: as before if that still means the same, else with the options that are not at
  /// their defaults.
  private func text(of type: TableType, named text: String) -> String {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    do throws(TableTypeError) {
      let named = try makeTableType(options: parts.count == 2 ? String(parts[1]) : "")
      if named.options == type.options { return text }
    } catch {
      // It names an option that is gone.
    }
    let chosen = type.options.filter { option in
      !options.contains { $0.name.hasBytes(of: option.name) && $0.defaultValue == option.value }
    }
    let words = chosen.map { "\($0.name)=\($0.value?.text ?? "")" }
    return name + (words.isEmpty ? "" : "?" + words.joined(separator: "&"))
  }
}

extension TableType {
  /// Returns the default of an option of the type's document; `nil` if there is no such option.
  fileprivate func defaultValue(ofOption name: String) -> AttributeValue? {
    do throws(DocumentMistakes) {
      return try TableTypeDocument(parsing: document).options.first { $0.name.hasBytes(of: name) }?.defaultValue
    } catch {
      return nil
    }
  }
}
