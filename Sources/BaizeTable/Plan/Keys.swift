/// G11: whether other items have the keys that an operation brings. All faces of a type with keys are visible, so that a
/// refusal reveals nothing.
extension Table {
  /// Refuses faces with the key of an item that stays, or with the same key twice.
  ///
  /// - Parameter leaving: The slots of the items whose present keys become free.
  func checkKeys(
    _ faces: some Sequence<Face>, replacing leaving: some Sequence<Int32> = EmptyCollection()
  )
    throws(Refusal)
  {
    guard let keys = state.keys else { return }
    let leaving = Set(leaving)
    var brought: Set<AttributeValue> = []
    for face in faces {
      guard let key = face[keys.attribute] else { continue }
      let slot = keys.slot(of: key, in: state.faces)
      guard slot < 0 || leaving.contains(slot), brought.insert(key).inserted else { throw Refusal.duplicateKey }
    }
  }

  /// Refuses to copy items that have keys: the copies would have the same.
  func checkCopyable(_ slots: SlotList) throws(Refusal) {
    guard let key = state.type.key else { return }
    for slot in slots where state.faces[slot][key] != nil { throw Refusal.duplicateKey }
  }
}

extension Refusal {
  fileprivate static let duplicateKey = Refusal(.duplicateKey, rule: "key", detail: "another item has this key")
}
