/// G11: the attributes that a collection gives to the items that are moved into it.
extension Table {
  /// Returns the faces that moved items get, in their order; empty if they keep theirs. They depend on the table as it is
  /// before the move.
  ///
  /// - Throws: The refusal of faces that are too large.
  func stampedFaces(of move: Plan.Move, _ request: Request) throws(Refusal) -> [Face] {
    let destination = Int(move.collection)
    let stamps = state.kind(of: destination).accept.stamps
    guard !stamps.isEmpty, move.slots.contains(where: { state.collection($0) != destination }) else { return [] }
    var context = RuleContext(destination: destination, sourcesCount: move.slots.count, seat: request.seat)
    var faces: [Face] = []
    var (items, shown, growth) = (0, 0, 0)
    for slot in move.slots {
      var face = state.faces[slot]
      let count = 1 + state.aliases(of: state.id(slot)).count
      // An alias has the face of its item.
      if state.collection(slot) != destination, !state.isAlias(slot) {
        guard state.forest.records[slot].isFaceKnown else { throw Refusal.unpredictable }
        context.item = .slot(slot)
        context.source = state.collection(slot)
        for stamp in stamps {
          var stamped = face
          stamped.set(Attribute(name: stamp.name, value: stamp.value.flatMap { state.value($0, context) }))
          // No refusal depends on the size of a face that may be hidden.
          if let bytesMax = state.type.faceBytes,
            stamped.contentBytes > bytesMax || stamped.attributes.count > TableLimits.attributesPerItemMax
          {
            continue
          }
          face = stamped
        }
        if state.type.faceBytes == nil { try checkAttributes(face.attributes.count) }
        growth += count * (state.type.countedBytes(of: face) - state.type.countedBytes(of: state.faces[slot]))
      }
      items += count
      shown += count * face.contentBytes
      faces.append(face)
    }
    try checkContents(items: items, faceBytes: shown)
    try checkSize(items: 0, faceBytes: growth)
    return faces
  }
}
