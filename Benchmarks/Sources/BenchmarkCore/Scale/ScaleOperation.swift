/// An operation of the public API that the command `scale` runs once for each size of a store. The operations run in
/// the order of the cases, on one file.
public enum ScaleOperation: String, CaseIterable, Codable, Sendable {
  case insert
  case open
  case fetchByIndex = "fetch-by-index"
  case lookUp = "look-up"
  case countRange = "count-range"
  case identifiers
  case values
  case toMany = "to-many"
  case countAll = "count-all"
  case aggregate
  case group
  case enumerate
  case fetchInBatches = "fetch-in-batches"
  case scan
  case sort
  case saveOne = "save-one"
  case history
  case historyBackwards = "history-backwards"
  case observe
  case update
  case deleteObjects = "delete-objects"
  case deleteWhere = "delete-where"
  case check
  case backup
  case restore
  case migrate

  /// How the time of an operation may grow with the number of rows.
  public enum Growth: String, Codable, Sendable {
    /// The operation reads or writes each row, or a fixed share of the rows, so it may take the same time for each row.
    case proportional
    /// The operation reads or writes a fixed number of rows, so it may take the same time for any number of rows in the
    /// store.
    case constant
  }

  public var growth: Growth {
    switch self {
    case .open, .fetchByIndex, .lookUp, .countRange, .identifiers, .values, .toMany, .saveOne, .history,
      .historyBackwards, .observe,
      .migrate:
      .constant
    case .insert, .countAll, .aggregate, .group, .enumerate, .fetchInBatches, .scan, .sort, .update, .deleteObjects,
      .deleteWhere, .check, .backup, .restore:
      .proportional
    }
  }

  /// Whether later operations need the rows as this operation leaves them.
  public var isPrerequisite: Bool {
    switch self {
    case .insert, .saveOne, .deleteObjects, .deleteWhere, .backup: true
    default: false
    }
  }

  /// The title in tables.
  public var title: String {
    switch self {
    case .insert: "insert, a save for 5,000 rows"
    case .open: "open the store, first query"
    case .fetchByIndex: "fetch 20 rows in index order"
    case .lookUp: "look up a row by its identifier"
    case .countRange: "count 1,000 rows of a range"
    case .identifiers: "1,000 identifiers of a range"
    case .values: "1,000 values of a range"
    case .toMany: "to-many of a parent, 100 children"
    case .countAll: "count all rows"
    case .aggregate: "sum, maximum and average of all"
    case .group: "count and sum of 100 groups"
    case .enumerate: "enumerate all rows"
    case .fetchInBatches: "fetch all rows in batches of 1,000"
    case .scan: "find 10 rows without an index"
    case .sort: "first 20 of all, sorted, no index"
    case .saveOne: "save 1 row"
    case .history: "10 transactions after a token"
    case .historyBackwards: "last 10 transactions, sorted backwards"
    case .observe: "save 1 row, live query gets it"
    case .update: "update 1 % in batches of 1,000"
    case .deleteObjects: "delete 1 % as objects"
    case .deleteWhere: "delete 1 % by a predicate"
    case .check: "check the store"
    case .backup: "back up the store"
    case .restore: "restore the backup"
    case .migrate: "migrate: a property is added"
    }
  }
}
