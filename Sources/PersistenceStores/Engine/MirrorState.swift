import PersistenceRuntime

/// What is known of the mirror's rows besides their values.
///
/// It changes within transactions of the mirror, one at a time. If a transaction fails, its changes of the state are
/// undone too: its rows are not in the mirror then.
struct MirrorState {
  /// The entities whose rows are all there, as far as is known; of a hierarchy its root.
  private(set) var complete: Set<String> = []
  /// The lists of to-many relationships, and the ends of to-one relationships without a column, as the store returned or
  /// got them last: by owner, then by the position of the relationship.
  private var lists: [Int64: [Int: [PersistentIdentifier]]] = [:]
  /// What the open transaction has changed, as it was before.
  private var former: [Former] = []
  /// The number of the open transaction, or of the last one.
  private var transaction = 0

  private enum Former {
    case complete(String, wasComplete: Bool)
    case lists([Int: [PersistentIdentifier]]?, owner: Int64)
  }

  // MARK: Transactions

  /// Begins a transaction, and returns its number.
  mutating func begin() -> Int {
    former = []
    transaction += 1
    return transaction
  }

  /// How much the open transaction has changed, to which ``undo(_:to:)`` returns.
  var mark: Int { former.count }

  /// Ends a transaction that has committed.
  mutating func end(_ number: Int) {
    if transaction == number { former = [] }
  }

  /// Takes back what a transaction has changed, all of it or what came behind a mark.
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

  /// Forgets everything, when the mirror is empty.
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

  /// - Parameter list: The list; nil if only the rows tell.
  mutating func setList(_ list: [PersistentIdentifier]?, of owner: Int64, at position: Int) {
    if list == nil, lists[owner]?[position] == nil { return }
    former.append(.lists(lists[owner], owner: owner))
    lists[owner, default: [:]][position] = list
  }

  /// Forgets the lists of a row that is gone.
  mutating func forgetLists(of owner: Int64) {
    if let known = lists.removeValue(forKey: owner) { former.append(.lists(known, owner: owner)) }
  }
}

/// The rows whose lists are in another order than contexts may have read, as if another process had committed it.
struct ReorderedRows {
  /// How often that was so.
  private(set) var count: Int64 = 0
  private var rows: [Int64: [ForeignRows]] = [:]

  mutating func add(_ new: [ForeignRows]) {
    guard !new.isEmpty else { return }
    count += 1
    rows[count] = new
  }

  /// Takes out what came behind a count; nil if that is not known any more.
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
