import PersistenceRuntime

/// What the engine knows about the rows of the mirror (the cache of the store's rows), in addition to their values.
///
/// The state changes only within transactions of the mirror, which run one at a time. If a transaction fails, its rows
/// are not in the mirror, and the changes that it has made to the state are undone.
struct MirrorState {
  /// The names of the root entities whose rows are all in the mirror, as far as the engine knows.
  private(set) var complete: Set<String> = []
  /// The related models of each relationship without a column in the owner's table, as the store last returned or
  /// received them, by the owner's key and the index of the relationship's property.
  private var lists: [Int64: [Int: [PersistentIdentifier]]] = [:]
  /// The previous values of everything that the open transaction has changed, in order, for ``undo(_:to:)``.
  private var former: [Former] = []
  /// The ID of the open transaction or, if none is open, of the last one.
  private var transaction = 0

  private enum Former {
    case complete(String, wasComplete: Bool)
    case lists([Int: [PersistentIdentifier]]?, owner: Int64)
  }

  // MARK: Transactions

  /// Begins a transaction, and returns its ID.
  mutating func begin() -> Int {
    former = []
    transaction += 1
    return transaction
  }

  /// The number of changes of the open transaction so far. ``undo(_:to:)`` can undo all later ones.
  var mark: Int { former.count }

  /// Ends a transaction that has committed: its changes can no longer be undone.
  mutating func end(_ number: Int) {
    if transaction == number { former = [] }
  }

  /// Undoes all changes of the open transaction, or only those after the given ``mark``.
  mutating func undo(_ number: Int, to mark: Int = 0) {
    guard transaction == number else { return }
    while former.count > mark, let last = former.popLast() {
      switch last {
      case .complete(let name, true): complete.insert(name)
      case .complete(let name, false): complete.remove(name)
      case .lists(let known, let owner): lists[owner] = known
      }
    }
  }

  // MARK: Contents

  /// Removes everything, after all rows of the mirror were deleted.
  mutating func empty() {
    (complete, lists, former) = ([], [:], [])
    transaction += 1
  }

  mutating func setComplete(_ name: String, _ isComplete: Bool) {
    guard complete.contains(name) != isComplete else { return }
    former.append(.complete(name, wasComplete: !isComplete))
    if isComplete { complete.insert(name) } else { complete.remove(name) }
  }

  func list(of owner: Int64, at position: Int) -> [PersistentIdentifier]? { lists[owner]?[position] }

  /// - Parameter list: The members; nil to discard the cached list, because the mirror's rows have changed.
  mutating func setList(_ list: [PersistentIdentifier]?, of owner: Int64, at position: Int) {
    if list == nil, lists[owner]?[position] == nil { return }
    former.append(.lists(lists[owner], owner: owner))
    lists[owner, default: [:]][position] = list
  }

  /// Discards the cached lists of a deleted row.
  mutating func forgetLists(of owner: Int64) {
    if let known = lists.removeValue(forKey: owner) { former.append(.lists(known, owner: owner)) }
  }
}

/// Owners of lists whose order has changed since contexts read it. Reported to contexts like another process's changes.
struct ReorderedRows {
  /// The number of recorded reorderings.
  private(set) var count: Int64 = 0
  private var rows: [Int64: [ForeignRows]] = [:]

  mutating func add(_ new: [ForeignRows]) {
    guard !new.isEmpty else { return }
    count += 1
    rows[count] = new
  }

  /// Removes and returns the owners of the reorderings with these numbers; nil if one of them was returned before.
  mutating func take(after first: Int64, through last: Int64) -> [ForeignRows]? {
    var found: [ForeignRows] = []
    var number = first
    while number < last {
      number += 1
      guard let part = rows.removeValue(forKey: number) else { return nil }
      found += part
    }
    return found
  }
}
