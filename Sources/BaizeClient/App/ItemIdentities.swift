import BaizeSync
import BaizeTable
import BaizeWire

/// The ids under which an app knows the items that its client has created.
///
/// The daemon names an item when it accepts the operation that creates it. For the app the item has one id from then on that
/// it shows, before and after the answer: a local one, which never leaves the client. Every other item has the daemon's id.
///
/// ```
/// the app                      the replica                     the daemon
/// item(s) with local ids  ◀──▶  provisional id, then final id ◀──▶ final id
/// ```
struct ItemIdentities: Sendable {
  /// The replica's present id of each item with a local id.
  private var tableIDs: [ItemID: ItemID] = [:]
  /// The local id of each such item, by all ids that the replica has had for it.
  private var localIDs: [ItemID: ItemID] = [:]
  private var count: UInt64 = 0
  private var session: SessionID?
  /// The number of local ids at which those of items that are gone are forgotten.
  private var pruneAt = ClientLimits.localIDsMax

  /// Returns the id by which the app knows an item.
  func localID(of item: ItemID) -> ItemID { localIDs.isEmpty ? item : localIDs[item] ?? item }

  /// Returns the id by which the replica knows an item, given either of its ids.
  func tableID(of item: ItemID) -> ItemID { item.isLocal ? tableIDs[item] ?? item : item }

  /// Returns the id by which a state has an item, given either of its ids.
  ///
  /// A state may still show an item under its provisional id though its final one is known: that of an operation which was
  /// answered while a snapshot is on the way.
  ///
  /// - Complexity: O(1), or O(n) for n local ids in such a case.
  func tableID(of item: ItemID, in state: TableState) -> ItemID {
    let present = tableID(of: item)
    guard item.isLocal, !state.contains(present) else { return present }
    return localIDs.first { $0.value == item && state.contains($0.key) }?.key ?? present
  }

  // MARK: Events of items

  /// Gives local ids to the items that an operation has just created.
  mutating func created(_ changes: [TableChange]) {
    for case .inserted(let item, _) in changes where item.isProvisional { create(item) }
  }

  private mutating func create(_ item: ItemID) {
    // An operation of a session that was lost may have had the same number.
    if let former = localIDs[item], tableIDs[former] == item { tableIDs[former] = nil }
    count += 1
    let local = ItemID.local(count)
    localIDs[item] = local
    tableIDs[local] = item
  }

  /// Notes that the replica has given the item `provisional` its final id, and shows it under that from now on.
  mutating func renamed(_ provisional: ItemID, to item: ItemID) {
    guard let local = localIDs[provisional] else { return }
    tableIDs[local] = item
    localIDs[item] = local
  }

  /// Notes that the daemon has answered an operation: its items have final ids now.
  ///
  /// An item that the app was shown under its final id already, because a snapshot contained it before the answer, keeps that.
  mutating func answered(_ operation: TableOperation, _ machine: borrowing ClientMachine) {
    for provisional in operation.provisionalIDs {
      guard let local = localIDs[provisional], tableIDs[local] == provisional,
        let item = machine.finalID(of: provisional)
      else { continue }
      let isThere = machine.replica?.state.contains(item) == true
      // A wrong answer can name an item that was there before.
      if isThere, machine.replica?.state.contains(provisional) == true { continue }
      tableIDs[local] = item
      if !isThere, localIDs[item] == nil { localIDs[item] = local }
    }
  }

  /// Notes that the client has joined. In another session the numbers of operations begin anew, and with them the
  /// provisional ids.
  mutating func joined(_ session: SessionID) {
    defer { self.session = session }
    guard let former = self.session, former != session else { return }
    tableIDs = tableIDs.filter { !$0.value.isProvisional }
    localIDs = localIDs.filter { !$0.key.isProvisional }
  }

  /// Notes that pending operations have other numbers, and their items other provisional ids: those of a new epoch.
  mutating func renumbered(_ numbers: [SequenceNumber: SequenceNumber]) {
    var moved: [(local: ItemID, item: ItemID)] = []
    for (local, item) in tableIDs where item.isProvisional {
      guard let number = numbers[item.provisionalOperation] else { continue }
      moved.append((local, .provisional(operation: number, number: item.provisionalNumber)))
      localIDs[item] = nil
    }
    for (local, item) in moved {
      tableIDs[local] = item
      localIDs[item] = local
    }
  }

  /// Notes that the app reads everything again. Its pending operations' items may be shown for the first time.
  mutating func reloaded(_ replica: borrowing Replica) {
    for pending in replica.pending {
      for item in pending.operation.provisionalIDs where localIDs[item] == nil && replica.state.contains(item) {
        create(item)
      }
    }
  }

  /// Forgets local ids of items that are gone, if there are many.
  mutating func prune(_ state: TableState) {
    guard tableIDs.count >= pruneAt else { return }
    tableIDs = tableIDs.filter { state.contains($0.value) }
    localIDs = localIDs.filter { tableIDs[$0.value] == $0.key }
    pruneAt = max(ClientLimits.localIDsMax, 2 * tableIDs.count)
  }

  // MARK: Translating

  /// Returns changes with the ids that the app knows. A renaming is none.
  mutating func shown(_ changes: [TableChange]) -> [TableChange] {
    for change in changes {
      switch change {
      case .renamed(let old, let new): renamed(old, to: new)
      case .inserted(let item, _) where item.isProvisional && localIDs[item] == nil: create(item)
      case .inserted, .removed, .moved, .updated, .renamedCollection, .status, .variables, .seats, .enabled, .counted,
        .opened, .closed,
        .reloaded:
        break
      }
    }
    guard !localIDs.isEmpty else { return changes }
    return changes.compactMap { change in
      switch change {
      case .removed(let item, let location): .removed(localID(of: item), location)
      case .inserted(let item, let location): .inserted(localID(of: item), location)
      case .moved(let item, let from, let to): .moved(localID(of: item), from: from, to: to)
      case .updated(let item): .updated(localID(of: item))
      case .renamed: nil
      case .opened(let collection, let item): .opened(collection, by: localID(of: item))
      case .renamedCollection, .status, .variables, .seats, .enabled, .counted, .closed, .reloaded: change
      }
    }
  }

  func shown(_ item: Item) -> Item {
    guard !localIDs.isEmpty else { return item }
    var item = item
    item.id = localID(of: item.id)
    item.aliasOf = localID(of: item.aliasOf)
    return item
  }

  func shown(_ items: [Item]) -> [Item] { localIDs.isEmpty ? items : items.map(shown) }

  func shown(_ destination: Destination) -> Destination { destination.renamed(localID) }

  func shown(_ drag: Drag) -> Drag { localIDs.isEmpty ? drag : drag.renamed(localID) }

  func shown(_ configuration: DropConfiguration) -> DropConfiguration {
    var configuration = configuration
    configuration.destination = configuration.destination.map(shown)
    return configuration
  }

  /// Returns an operation with the replica's ids.
  func sent(_ kind: TableOperation.Kind) -> TableOperation.Kind {
    tableIDs.isEmpty ? kind : kind.renamed(tableID)
  }

  func sent(_ drag: Drag) -> Drag { tableIDs.isEmpty ? drag : drag.renamed(tableID) }

  func sent(_ destination: Destination) -> Destination { destination.renamed(tableID) }

  func sent(_ difference: ReorderDifference) -> ReorderDifference {
    ReorderDifference(sources: sent(difference.sources), destination: sent(difference.destination))
  }

  func sent(_ items: ItemList) -> ItemList { tableIDs.isEmpty ? items : ItemList(items.map(tableID)) }
}

extension Drag {
  fileprivate func renamed(_ name: (ItemID) -> ItemID) -> Drag {
    var drag = self
    drag.items = ItemList(items.map(name))
    drag.over = over?.renamed(name)
    return drag
  }
}
