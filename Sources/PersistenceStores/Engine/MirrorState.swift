import PersistenceRuntime

/// The state of the mirror in addition to the values of its rows.
///
/// The state changes only within transactions of the mirror, which run one at a time. If a transaction fails, its
/// changes of the state are undone, because its rows are not in the mirror.
struct MirrorState {
  /// The entities whose rows are all in the mirror, as far as is known; for a hierarchy, its root.
  private(set) var complete: Set<String> = []
  /// The lists of to-many relationships, and the values of to-one relationships without a column, as the store last
  /// returned or received them: by owner, then by the position of the relationship.
  private var lists: [Int64: [Int: [PersistentIdentifier]]] = [:]
  /// The values that the open transaction has replaced, in order, for ``undo(_:to:)``.
  private var former: [Former] = []
  /// The ID of the open transaction, or of the last one.
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

  /// The position in the changes of the open transaction to which ``undo(_:to:)`` returns.
  var mark: Int { former.count }

  /// Ends a transaction that has committed.
  mutating func end(_ number: Int) {
    if transaction == number { former = [] }
  }

  /// Undoes the changes of a transaction, or those after a mark.
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

  /// Removes everything, when the mirror is empty.
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

  /// - Parameter list: The list; nil if only the rows contain it.
  mutating func setList(_ list: [PersistentIdentifier]?, of owner: Int64, at position: Int) {
    if list == nil, lists[owner]?[position] == nil { return }
    former.append(.lists(lists[owner], owner: owner))
    lists[owner, default: [:]][position] = list
  }

  /// Removes the lists of a deleted row.
  mutating func forgetLists(of owner: Int64) {
    if let known = lists.removeValue(forKey: owner) { former.append(.lists(known, owner: owner)) }
  }
}

/// Rows whose lists may have an order that contexts have not read. Contexts get them like commits of other processes.
struct ReorderedRows {
  /// The number of changes of order.
  private(set) var count: Int64 = 0
  private var rows: [Int64: [ForeignRows]] = [:]

  mutating func add(_ new: [ForeignRows]) {
    guard !new.isEmpty else { return }
    count += 1
    rows[count] = new
  }

  /// Removes and returns the changes after a count; nil if they are not known any more.
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
