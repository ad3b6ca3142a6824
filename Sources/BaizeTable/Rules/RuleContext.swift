/// The subject of a rule's evaluation.
struct RuleContext {
  /// The item that is judged.
  var item: Judged = .nothing
  /// The slot of the item in front of it, or in front of the gap where it is to be put; −1 for none.
  var below: Int32 = -1
  /// The indices of the collections that the items come from and go to; −1 for none.
  var source = -1
  var destination = -1
  /// The item that a count looks at.
  var counted: Judged = .nothing
  /// The item's face as an update would leave it.
  var updated: Face?
  /// The items that the operation names, or the faces of those that it inserts, for counts that look at each of them.
  var sources: SlotList = []
  var newFaces: [Face] = []
  /// The number of items that the operation names.
  var sourcesCount = 0
  /// The number of them that are in the destination already and leave it before they land.
  var returningCount = 0
  var seat: SeatNumber

  /// An item on the table, or one that is to be made.
  enum Judged {
    case nothing
    case slot(Int32)
    case face(Face)
  }
}

extension TableState {
  /// Evaluates conditions in order.
  ///
  /// - Throws: The refusal of the first that does not hold, or `FACE_HIDDEN` for the first that would read a face
  ///   hidden from the author, whatever its outcome would be.
  func check(_ conditions: [Condition], _ context: RuleContext) throws(Refusal) {
    for condition in conditions {
      if !condition.reads.isEmpty { try checkVisibility(condition, context) }
      if !holds(condition.predicate, context) { throw condition.refusal }
    }
  }

  /// Returns whether a predicate holds. A comparison with a term that has no value does not.
  func holds(_ predicate: Predicate, _ context: RuleContext) -> Bool {
    switch predicate {
    case .compare(let left, let comparison, let right):
      guard let left = value(left, context), let right = value(right, context) else { return false }
      return Self.compare(left, comparison, right)
    case .oneOf(let term, let values):
      guard let value = value(term, context) else { return false }
      return values.contains(value)
    case .faceUp(.item):
      guard case .slot(let slot) = context.item else { return true }
      return forest.records[slot].isFaceUp
    case .faceUp(.below): return context.below >= 0 && forest.records[context.below].isFaceUp
    case .faceUp(.counted), .faceUp(.updated): return false
    case .changes(let name): return attribute(name, of: context.item) != context.updated?[name]
    case .all(let parts): return parts.allSatisfy { holds($0, context) }
    case .any(let parts): return parts.contains { holds($0, context) }
    case .not(let part): return !holds(part, context)
    case .everySeat(let part):
      var context = context
      return activeSeats.allSatisfy { seat in
        context.seat = seat.number
        return holds(part, context)
      }
    }
  }

  private static func compare(
    _ left: AttributeValue, _ comparison: Predicate.Comparison, _ right: AttributeValue
  ) -> Bool {
    switch (comparison, left, right) {
    case (.equal, _, _): left == right
    case (.unequal, _, _): left != right
    case (.less, .number(let left), .number(let right)): left < right
    case (.atMost, .number(let left), .number(let right)): left <= right
    case (.less, _, _), (.atMost, _, _): false
    }
  }

  /// Returns a term's value, or `nil` if it has none. Sums that overflow 64 bits have none.
  func value(_ term: Term, _ context: RuleContext) -> AttributeValue? {
    switch term {
    case .constant(let value): return value
    case .attribute(.item, let name): return attribute(name, of: context.item)
    case .attribute(.counted, let name): return attribute(name, of: context.counted)
    case .attribute(.updated, let name): return context.updated?[name]
    case .attribute(.below, let name): return context.below < 0 ? nil : faces[context.below][name]
    case .collection(.source, let name): return attribute(name, ofCollection: context.source)
    case .collection(.destination, let name): return attribute(name, ofCollection: context.destination)
    case .variable(let name): return variable(name)
    case .bySeat(let terms):
      let index = Int(context.seat.rawValue) - 1
      return terms.indices.contains(index) ? value(terms[index], context) : nil
    case .count(let countable): return .number(Int64(count(countable, context)))
    case .countWhere(let countable, let predicate):
      guard let items = items(of: countable, context) else { return nil }
      var context = context
      return .number(
        Int64(
          items.count { item in
            context.counted = item
            return holds(predicate, context)
          }))
    case .group(let group, let term):
      return value(term, context).flatMap { group.groupOfValue[$0] }.map(AttributeValue.text)
    case .sum(let terms):
      var sum: Int64 = 0
      for term in terms {
        guard case .number(let number) = value(term, context) else { return nil }
        let (next, overflow) = sum.addingReportingOverflow(number)
        guard !overflow else { return nil }
        sum = next
      }
      return .number(sum)
    case .difference(let left, let right):
      guard case .number(let left) = value(left, context), case .number(let right) = value(right, context) else {
        return nil
      }
      let (difference, overflow) = left.subtractingReportingOverflow(right)
      return overflow ? nil : .number(difference)
    }
  }

  private func attribute(_ name: String, of item: RuleContext.Judged) -> AttributeValue? {
    switch item {
    case .nothing: nil
    case .slot(let slot): faces[slot][name]
    case .face(let face): face[name]
    }
  }

  private func attribute(_ name: String, ofCollection collection: Int) -> AttributeValue? {
    guard collection >= 0 else { return nil }
    for attribute in attributes(of: collection) where attribute.name.hasBytes(of: name) {
      return attribute.value
    }
    return nil
  }

  private func count(_ countable: Term.Countable, _ context: RuleContext) -> Int {
    switch countable {
    case .sources: context.sourcesCount
    case .source: context.source < 0 ? 0 : self.count(context.source)
    case .destination:
      context.destination < 0 ? 0 : self.count(context.destination) - context.returningCount
    case .collections(let handles): handles.reduce(0) { $0 + count(in: $1) }
    case .seats: seats.count(where: \.isHeld)
    }
  }
}
