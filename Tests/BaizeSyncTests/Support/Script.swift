import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A script and its output, which must be the script itself: lines without indentation are
/// steps, and lines indented by two spaces are their visible effects.
///
/// ```
/// table list?items=3
/// A joins
///   A sees 1 2 3
/// A: move 3 before 1       shown at once, and not sent yet
///   A sees 3 1 2
/// A sends
/// A receives
///   A: accepted
/// ```
///
/// Items are written as their numbers, copies with an apostrophe. Several collections are written with their names, without
/// empty ones.
struct Script {
  private let daemon = Daemon()
  private var type = ""
  private var peers: [String: Peer] = [:]
  private var seen: [String: String] = [:]
  private var answered: [String: Set<SequenceNumber>] = [:]
  private var transcript: [String] = []

  /// The output of a script.
  static func play(_ text: String) -> String {
    var script = Script()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("  ") {
      script.transcript.append(String(line))
      // Text after three spaces is a comment.
      let command = line.split(separator: "   ", maxSplits: 1).first.map(String.init) ?? ""
      if !command.isEmpty { script.perform(command.split(separator: " ").map(String.init)) }
    }
    return script.transcript.joined(separator: "\n")
  }

  private mutating func perform(_ words: [String]) {
    switch (words[0], words.dropFirst().first) {
    case ("table", _): type = words[1]
    case ("all", _):
      for name in peers.keys.sorted() { peers[name]?.send() }
      for name in peers.keys.sorted() { receive(name) }
    case (let name, "joins"):
      peers[name] = Peer(daemon, type: type, name: name)
      show(name)
    case (let name, "sends"): peers[name]?.send(words.count > 2 ? Int(words[2]) ?? 1 : .max)
    case (let name, "receives"): receive(name)
    case (let name, _) where name.hasSuffix(":"): ask(String(name.dropLast()), Array(words.dropFirst()))
    default: transcript.append("  ? \(words.joined(separator: " "))")
    }
  }

  // MARK: Operations

  private mutating func ask(_ name: String, _ words: [String]) {
    guard let peer = peers[name], let state = peer.replica?.state else { return }
    let split = words.firstIndex { $0 == "before" || $0 == "to" } ?? words.count
    let subjects = words[1..<split].map { item($0, in: state) }
    let destination = destination(Array(words[split...]), subjects, in: state)
    let kind: TableOperation.Kind
    switch words[0] {
    case "move": kind = .move(subjects, to: destination)
    case "copy": kind = .move(subjects, to: destination, suggested: .copy)
    case "insert":
      kind = .insert(words[1..<split].map { NewItem(attributes: [Attribute("number", Int64($0) ?? 0)]) }, destination)
    default: kind = .perform(action: words[0], items: ItemList(subjects), nil)
    }
    peer.submit(kind)
    show(name)
  }

  private func destination(_ words: [String], _ subjects: [ItemID], in state: TableState) -> Destination {
    let first = CollectionHandle(rawValue: 1)
    guard words.count > 1 else { return .end(of: first) }
    if words[0] == "to" { return .end(of: state.type.handle(of: words[1]) ?? first) }
    let anchor = item(words[1], in: state)
    return .before(anchor, in: state.collection(of: anchor) ?? first)
  }

  // MARK: Output

  private mutating func receive(_ name: String) {
    guard let peer = peers[name] else { return }
    peer.receive()
    for (sequence, answer) in peer.answers.sorted(by: { $0.key < $1.key }) {
      if answered[name, default: []].insert(sequence).inserted {
        transcript.append("  \(name): \(sequence.rawValue) \(Self.text(answer))")
      }
    }
    show(name)
    if peer.pending.isEmpty, !peer.isConverged { transcript.append("  \(name) differs from the daemon") }
  }

  private static func text(_ answer: Answer) -> String {
    switch answer {
    case .accepted(let diff):
      "accepted" + (diff.isRebased ? ", rebased" : "") + (diff.isRedirected ? ", redirected" : "")
    case .acceptedBefore(let revision): "accepted before, at revision \(revision.rawValue)"
    case .unchanged: "unchanged"
    case .invited: "invited"
    case .refused(let refusal): "refused, \(refusal.reason.rawValue)"
    case .unknown: "unknown"
    }
  }

  private mutating func show(_ name: String) {
    guard let state = peers[name]?.replica?.state else { return }
    let text = Self.text(state)
    if seen[name] != text { transcript.append("  \(name) sees \(text)") }
    seen[name] = text
  }

  private static func text(_ state: TableState) -> String {
    let collections = state.handles.compactMap { handle -> String? in
      let items = state.itemIDs(in: handle).map { label($0, in: state) }.joined(separator: " ")
      let name = state.type.collections[Int(handle.rawValue) - 1].id
      guard state.handles.count > 1 else { return items }
      return items.isEmpty ? nil : "\(name) \(items)"
    }
    return collections.joined(separator: " | ")
  }

  private static func label(_ item: ItemID, in state: TableState) -> String {
    guard let face = state.face(of: item) else { return "?" }
    guard case .number(let number)? = face["number"] else {
      guard case .number(let rank)? = face["rank"], case .text(let suit)? = face["suit"] else { return "-" }
      return "\(suit.prefix(1))\(rank)"
    }
    let twins = state.handles.flatMap { state.itemIDs(in: $0) }.filter {
      state.face(of: $0)?["number"] == .number(number)
    }
    return "\(number)" + (twins.contains { $0.rawValue < item.rawValue } ? "'" : "")
  }

  private func item(_ label: String, in state: TableState) -> ItemID {
    for handle in state.handles {
      for item in state.itemIDs(in: handle) where Self.label(item, in: state) == label { return item }
    }
    return ItemID(rawValue: 999)
  }
}
