import PersistenceRuntime

/// What a statement answers a request with.
package enum RequestPurpose: UInt8, Sendable, Hashable {
  case rows
  case keys
  case count
}

/// Everything in a request that its statement depends on, and nothing else: the key of statement caches.
///
/// Values are not in it, nor are the lengths of lists.
package struct RequestShape: Sendable, Hashable {
  package let purpose: RequestPurpose
  package let table: Int
  package let nodes: [QueryNode]
  /// The rows that the nodes speak of besides those that are asked for.
  package let rows: [QueryRow]
  package let sort: [SortTerm]
  package let mask: UInt64
  package let hasLimit: Bool
  package let hasOffset: Bool
  /// The lists that have nil among their elements, a bit each.
  package let nilLists: UInt64
  package let includesSubentities: Bool

  package init(_ request: FetchRequest, purpose: RequestPurpose, table: TableMapping) {
    self.purpose = purpose
    self.table = table.index
    self.sort = purpose == .count ? [] : request.sort
    self.mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
    self.hasLimit = request.limit != nil
    self.hasOffset = request.offset > 0
    self.includesSubentities = request.includesSubentities
    if case .matching(let tree) = request.selection {
      self.nodes = tree.nodes
      self.rows = tree.rows
      self.nilLists = Self.nilLists(in: tree)
    } else {
      self.nodes = []
      self.rows = []
      self.nilLists = 0
    }
  }

  /// Mixes the nodes by hand into one word: hashing each node with the standard hasher costs more than all the rest of
  /// finding a statement.
  package func hash(into hasher: inout Hasher) {
    var word = mask ^ nilLists &* 0x9E37_79B9_7F4A_7C15
    word = Self.mix(word, UInt64(truncatingIfNeeded: table) << 8 | UInt64(purpose.rawValue))
    word = Self.mix(word, (hasLimit ? 1 : 0) | (hasOffset ? 2 : 0) | (includesSubentities ? 4 : 0))
    for node in nodes { word = Self.mix(word, node.code) }
    for row in rows { word = Self.mix(word, row.code) }
    for term in sort {
      let bits = UInt64(truncatingIfNeeded: term.property) << 32 | UInt64(truncatingIfNeeded: term.column) << 1
      word = Self.mix(word, bits | (term.isDescending ? 1 : 0))
      for step in term.steps { word = Self.mix(word, UInt64(truncatingIfNeeded: step.position)) }
    }
    hasher.combine(word)
  }

  private static func mix(_ word: UInt64, _ next: UInt64) -> UInt64 {
    let product = (word ^ next) &* 0xD6E8_FEB8_6659_FD93
    return product ^ (product >> 32)
  }

  /// Looks at the values only where a node says that there is a list: they are references, the nodes are not.
  private static func nilLists(in tree: QueryTree) -> UInt64 {
    guard tree.nodes.contains(where: \.isList) else { return 0 }
    var result: UInt64 = 0
    var position: UInt64 = 0
    for case .list(let elements) in tree.values {
      if elements.contains(where: \.isNull) { result |= 1 << position }
      position += 1
    }
    return result
  }
}

extension QueryNode {
  fileprivate var isList: Bool {
    if case .list = self { true } else { false }
  }

  /// A number of the node's own, for hashing.
  fileprivate var code: UInt64 {
    switch self {
    case .property(let position): 1 | UInt64(truncatingIfNeeded: position) << 8
    case .value(let format): 2 | format.code << 8
    case .list(let format): 3 | format.code << 8
    case .truth(let isTrue): isTrue ? 4 : 5
    case .key: 6
    case .null: 7
    case .equal: 8
    case .notEqual: 9
    case .less: 10
    case .lessOrEqual: 11
    case .greater: 12
    case .greaterOrEqual: 13
    case .and: 14
    case .or: 15
    case .containsText: 16
    case .startsWithText: 17
    case .containsValue: 18
    case .coalesce: 19
    case .not: 20
    case .betweenClosed: 21
    case .betweenHalfOpen: 22
    case .conditional: 23
    case .isEntity(let member): 24 | UInt64(truncatingIfNeeded: member) << 8
    case .memberProperty(let member, let position):
      25 | UInt64(truncatingIfNeeded: member) << 8 | UInt64(truncatingIfNeeded: position) << 32
    case .member(let position, let column):
      26 | UInt64(truncatingIfNeeded: position) << 8 | UInt64(truncatingIfNeeded: column) << 32
    case .composite(let position, let part):
      27 | UInt64(truncatingIfNeeded: position) << 8 | UInt64(truncatingIfNeeded: part) << 32
    case .related(let row, let value): 28 | value.code << 8 ^ UInt64(truncatingIfNeeded: row) << 48
    default: operatorCode
    }
  }

  /// A number of an operator's own.
  private var operatorCode: UInt64 {
    switch self {
    case .arithmetic(let operation, let form): 29 | UInt64(operation.rawValue) << 8 | UInt64(form.rawValue) << 16
    case .negative(let form): 30 | UInt64(form.rawValue) << 8
    case .containsLocalized: 31
    case .compareText(let comparison): 32 | UInt64(comparison.rawValue) << 8
    case .valueForKey(let form): 33 | UInt64(form.rawValue) << 8
    case .elementAt(let format): 34 | format.code << 8
    case .lookUp(let format): 35 | format.code << 8
    case .textCount: 36
    case .dataCount: 37
    case .elements(let form): 38 | UInt64(form.rawValue) << 8
    case .hasMember(let row): 39 | UInt64(truncatingIfNeeded: row) << 8
    case .exists(let row): 40 | UInt64(truncatingIfNeeded: row) << 8
    case .count(let row): 41 | UInt64(truncatingIfNeeded: row) << 8
    case .minimum(let row): 42 | UInt64(truncatingIfNeeded: row) << 8
    case .maximum(let row): 43 | UInt64(truncatingIfNeeded: row) << 8
    case .containsRegex: 44
    default: 0
    }
  }
}

extension RowValue {
  fileprivate var code: UInt64 {
    switch self {
    case .property(let position): 1 | UInt64(truncatingIfNeeded: position) << 4
    case .memberProperty(let member, let position):
      2 | UInt64(truncatingIfNeeded: member) << 4 | UInt64(truncatingIfNeeded: position) << 20
    case .column(let position, let column):
      3 | UInt64(truncatingIfNeeded: position) << 4 | UInt64(truncatingIfNeeded: column) << 20
    case .composite(let position, let part):
      4 | UInt64(truncatingIfNeeded: position) << 4 | UInt64(truncatingIfNeeded: part) << 20
    case .key: 5
    case .isEntity(let member): 6 | UInt64(truncatingIfNeeded: member) << 4
    case .element(let format, let isOptional): 7 | format.code << 4 | (isOptional ? 128 : 0)
    }
  }
}

extension QueryRow {
  fileprivate var code: UInt64 {
    switch self {
    case .toOne(let row, let member, let position):
      1 | UInt64(truncatingIfNeeded: row) << 4 | UInt64(truncatingIfNeeded: member) << 20
        | UInt64(truncatingIfNeeded: position) << 36
    case .toMany(let row, let member, let position):
      2 | UInt64(truncatingIfNeeded: row) << 4 | UInt64(truncatingIfNeeded: member) << 20
        | UInt64(truncatingIfNeeded: position) << 36
    case .element: 3
    }
  }
}

extension ColumnFormat {
  fileprivate var code: UInt64 {
    switch self {
    case .integer: 0
    case .real: 1
    case .text: 2
    case .decimal: 3
    case .blob: 4
    case .json: 5
    case .reference: 6
    case .url: 7
    }
  }
}
