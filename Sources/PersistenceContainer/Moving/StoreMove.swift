import PersistenceHistory
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Fills an empty store with the contents of another, in one transaction.
///
/// Rows, pairs and positions are copied in batches, from one engine's rows to the other engine's statements. Before the
/// commit, the contents of both stores are compared by count and checksum.
///
/// Only the thread that runs the copy uses it.
final class StoreMove {
  private let source: StoreCoordinator
  private let sourceEngine: any MovableEngine
  private let target: any MovableEngine
  private let entities: [EntityLayout]
  private let lists: [MovedList]
  private let work: StoreWork
  /// For each entity, by its name, the keys of its rows.
  private var keys: [String: KeyRanges] = [:]
  private var rows: [String: ContentsDigest] = [:]
  private var pairs: [String: ContentsDigest] = [:]
  /// For each entity, by its name, the greatest position of its rows in any list.
  private var greatestPlaces: [String: Double] = [:]
  private var doneCount: Int64 = 0
  private var totalCount: Int64 = 0

  /// The maximum number of rows, pairs or positions in a batch, and the number of bytes that ends a batch earlier.
  private static let batchSize = 1_000
  private static let batchBytes = 4 << 20
  /// The maximum number of owners whose pairs are read at once.
  private static let ownerCount = 500

  /// - Throws: `SwiftDataError` if an engine does not support copies, or the stores have different entities.
  init(
    from source: StoreCoordinator, to target: any StoreEngine, _ entities: [EntityLayout], _ work: StoreWork
  ) throws {
    self.source = source
    sourceEngine = try Self.movable(source.engine, "copied")
    self.target = try Self.movable(target, "filled")
    self.entities = source.layouts
    self.work = work
    lists = MovedList.all(of: source.layouts)
    guard Set(entities.map(\.name)) == Set(source.layouts.map(\.name)) else {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "The store at \(source.engine.location) has the entities \(source.layouts.map(\.name).joined(separator: ", ")), and "
          + "the configuration of the copy others. Leave its schema out.")
    }
  }

  private static func movable(_ engine: any StoreEngine, _ verb: String) throws -> any MovableEngine {
    if let engine = engine as? any MovableEngine { return engine }
    throw SwiftDataError(
      .storeFailure,
      "The store at \(engine.location) cannot be \(verb): it is one of the program, whose identifiers are its own. Fetch its "
        + "models and insert them.")
  }

  /// - Throws: `CancellationError`, or `SwiftDataError` of a store. The target is then empty, unless the connection was
  ///   lost before the commit was acknowledged. The error says which is the case.
  func run() throws -> ModelContainer.StoreCopy {
    let transaction = try target.beginFilling()
    do {
      try requireEmpty(transaction)
      var copy: ModelContainer.StoreCopy?
      try sourceEngine.readingAtOneMoment { moment in
        copy = try fill(transaction, from: moment)
      }
      guard let copy else { throw SwiftDataError(.storeFailure, "\(source.engine.location) was not read.") }
      try verify(transaction)
      try work.checkCancellation()
      try transaction.prepareCommit()
      try transaction.commit()
      return copy
    } catch {
      transaction.rollBack()
      throw explained(error)
    }
  }

  private func explained(_ error: any Error) -> any Error {
    guard let known = error as? SwiftDataError else { return error }
    guard !UnknownOutcome.isCause(of: error) else {
      return SwiftDataError(
        known.kind,
        "The connection to the store at \(target.location) was lost during the commit of the copy. Open it to see what has "
          + "become of it: it has all models, or none.", underlying: known.underlyingError)
    }
    let outcome = "Nothing was copied: the store at \(target.location) is as it was."
    return SwiftDataError(
      known.kind, [known.explanation, outcome].compactMap { $0 }.joined(separator: " "),
      underlying: known.underlyingError)
  }

  private func requireEmpty(_ transaction: any StoreTransaction) throws {
    for entity in entities where entity.inheritance?.isRoot ?? true {
      let count = try target.count(FetchRequest(entity: entity), in: transaction)
      guard count > 0 else { continue }
      throw SwiftDataError(
        .storeUnreachable,
        "The store at \(target.location) has models already (\(entity.name): \(count)). Choose another place, or erase it."
      )
    }
  }

  // MARK: Filling

  private func fill(
    _ transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ModelContainer.StoreCopy {
    // Progress counts each row twice, because it is written and then read.
    totalCount = try 2 * rowCount(at: moment)
    for entity in entities { rows[entity.name] = try copyRows(of: entity, to: transaction, from: moment) }
    for list in lists { pairs[list.name] = try copy(list, to: transaction, from: moment) }
    let history = try historyEnd(at: moment)
    let identity = AdoptedIdentity(
      identifier: source.engine.identifier, nextKeys: try nextKeys(at: moment), lastRecord: history.last)
    try target.adopt(identity, in: transaction)
    return ModelContainer.StoreCopy(
      storeIdentifier: identity.identifier, models: entities.map { contents($0.name, rows) },
      relationships: lists.map { contents($0.name, pairs) }, leftHistoryBehind: history.first != nil)
  }

  /// The number of rows of all entities.
  ///
  /// - Throws: `SwiftDataError.corruptValue` if a hierarchy has rows of an unknown class, which would not be copied.
  private func rowCount(at moment: (any StoreTransaction)?) throws -> Int64 {
    var counts: [String: Int] = [:]
    for entity in entities { counts[entity.name] = try source.engine.count(Self.request(entity), in: moment) }
    for root in entities where root.inheritance?.isRoot == true {
      let known = root.family.reduce(0) { $0 + (counts[$1.name] ?? 0) }
      let all = try source.engine.count(FetchRequest(entity: root), in: moment)
      guard all != known else { continue }
      throw SwiftDataError(
        .corruptValue,
        "\(all - known) rows of \(root.name) are of no class of the schema. Have a check name them, and change or delete them."
      )
    }
    return counts.values.reduce(0) { $0 + Int64($1) }
  }

  private func contents(
    _ name: String, _ digests: [String: ContentsDigest]
  ) -> ModelContainer.StoreCopy.Contents {
    let digest = digests[name] ?? ContentsDigest()
    return ModelContainer.StoreCopy.Contents(name: name, count: digest.count, checksum: digest.checksum)
  }

  /// A request for the rows of an entity, without the rows of its subentities, in the order of their keys.
  private static func request(_ entity: EntityLayout) -> FetchRequest {
    FetchRequest(entity: entity, includesSubentities: false)
  }

  private func copyRows(
    of entity: EntityLayout, to transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ContentsDigest {
    var (digest, ranges) = (ContentsDigest(), KeyRanges())
    try source.engine.fetch(Self.request(entity), in: moment) { lent in
      var rows = MovedRows(lent, columns: MovedColumn.all(of: entity))
      var hasRow = try rows.next()
      while hasRow {
        let start = digest.count
        let refused = try transaction.insert(into: entity) { statement in
          var writer = MovedRowWriter(statement)
          while hasRow, digest.count - start < Self.batchSize, writer.byteCount < Self.batchBytes {
            ranges.append(rows.key)
            digest.add(try naming(entity, rows.key) { try writer.write(rows) })
            hasRow = try rows.next()
          }
        }
        if !refused.isEmpty { throw refusal(of: entity, refused.count, before: ranges.last) }
        try advance(by: digest.count - start)
      }
    }
    keys[entity.name] = ranges
    return digest
  }

  /// Adds the entity and the key of a row to an error of the block.
  private func naming<Result>(_ entity: EntityLayout, _ key: Int64, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SwiftDataError {
      throw SwiftDataError(
        error.kind, "Row \(key) of \(entity.name) cannot be copied. \(error.explanation ?? "")",
        underlying: error.underlyingError)
    }
  }

  private func refusal(of entity: EntityLayout, _ count: Int, before key: Int64?) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "\(count) rows of \(entity.name) up to row \(key ?? 0) have unique values that others have, as the new store compares "
        + "them. Change them in the store at \(source.engine.location).")
  }

  private func advance(by count: Int) throws {
    doneCount += Int64(count)
    try work.advance(to: doneCount, of: totalCount)
  }

  // MARK: Relationships

  private func copy(
    _ list: MovedList, to transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ContentsDigest {
    switch list.kind {
    case .pairs: try copyPairs(list, to: transaction, from: moment)
    case .order: try copyOrder(list, to: transaction, from: moment)
    case .places: try copyPlaces(list, to: transaction, from: moment)
    }
  }

  /// Passes the keys of all rows that have the relationship to a block, in batches.
  private func forEachOwners(of list: MovedList, _ body: ([Int64]) throws -> Void) throws {
    for entity in list.entity.family {
      try keys[entity.name]?.forEachBatch(of: Self.ownerCount) { owners in
        try work.checkCancellation()
        try body(owners)
      }
    }
  }

  /// Inserts the pairs in the order of the source's lists, so that the rows of the junction table have the same order.
  private func copyPairs(
    _ list: MovedList, to transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ContentsDigest {
    var digest = PairDigest(list.relationship)
    var batch: [RelatedPair] = []
    func flush() throws {
      guard !batch.isEmpty else { return }
      try transaction.changePairs(of: list.relationship, in: list.entity, adding: batch, removing: [])
      batch.removeAll(keepingCapacity: true)
    }
    try forEachOwners(of: list) { owners in
      digest.beginOwners()
      try list.forEachPair(of: owners, in: source.engine, moment) { pair in
        digest.add(pair)
        batch.append(pair)
        if batch.count == Self.batchSize { try flush() }
      }
    }
    try flush()
    return digest.contents
  }

  private func copyOrder(
    _ list: MovedList, to transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ContentsDigest {
    var digest = PairDigest(list.relationship)
    try forEachOwners(of: list) { owners in
      digest.beginOwners()
      var targets: [Int64: [Int64]] = [:]
      try list.forEachPair(of: owners, in: source.engine, moment) { pair in
        digest.add(pair)
        if list.relationship.isOrdered { targets[pair.owner, default: []].append(pair.target) }
      }
      let orders = targets.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
      try transaction.orderPairs(
        of: list.relationship, in: list.entity, orders.map { PairOrder(owner: $0.key, targets: $0.value) })
    }
    return digest.contents
  }

  private func copyPlaces(
    _ list: MovedList, to transaction: any StoreTransaction, from moment: (any StoreTransaction)?
  ) throws -> ContentsDigest {
    guard let inverse = list.relationship.inverse,
      let relationship = list.destination.relationship(at: inverse.position)
    else { return ContentsDigest() }
    var digest = ContentsDigest()
    var batch: [ListOrder.Position] = []
    func flush() throws {
      try work.checkCancellation()
      try transaction.setPositions(batch, of: relationship, in: list.destination)
      batch.removeAll(keepingCapacity: true)
    }
    var greatest = 0.0
    try list.forEachPlace(in: source.engine, moment) { place in
      digest.add(place)
      batch.append(place)
      greatest = max(greatest, place.rank)
      if batch.count == Self.batchSize { try flush() }
    }
    greatestPlaces[list.destination.name] = max(greatestPlaces[list.destination.name] ?? 0, greatest)
    if !batch.isEmpty { try flush() }
    return digest
  }

  // MARK: Identity

  private func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64] {
    var result = try sourceEngine.nextKeys(at: moment)
    // Rows of another program may have the source's next key or greater keys. These must not be assigned again.
    for (name, ranges) in keys {
      guard let last = ranges.last, last < .max else { continue }
      result[name] = max(result[name] ?? 1, last + 1)
    }
    // A new row has no position and is ordered by its key. To come last, its key must exceed all copied positions.
    for (name, place) in greatestPlaces {
      guard let place = Int64(exactly: place.rounded(.up)), place < EngineKeys.greatest else { continue }
      result[name] = max(result[name] ?? 1, place + 1)
    }
    return result
  }

  private func historyEnd(at moment: (any StoreTransaction)?) throws -> HistoryExtract {
    guard let engine = source.engine as? any HistoryEngine else { return HistoryExtract() }
    var request = HistoryRequest()
    (request.after, request.limit) = (.max, 0)
    return try engine.history(request, in: moment)
  }

  // MARK: Verification

  /// Reads the contents of the target, and compares them with those of the source.
  private func verify(_ transaction: any StoreTransaction) throws {
    for entity in entities { try compare(entity.name, rows, try rowDigest(of: entity, in: transaction)) }
    for list in lists { try compare(list.name, pairs, try digest(of: list, in: transaction)) }
  }

  private func compare(_ name: String, _ known: [String: ContentsDigest], _ found: ContentsDigest) throws {
    let known = known[name] ?? ContentsDigest()
    guard found != known else { return }
    let difference =
      found.count == known.count
      ? "\(found.count) with the checksum \(found.checksum) instead of \(known.checksum)"
      : "\(found.count) instead of \(known.count)"
    throw SwiftDataError(
      .storeFailure,
      "The copy differs from the store at \(source.engine.location): of \(name) it has \(difference). This is a defect of the "
        + "library, or something changes the values on the way, such as a trigger.")
  }

  private func rowDigest(of entity: EntityLayout, in transaction: any StoreTransaction) throws -> ContentsDigest {
    var digest = ContentsDigest()
    try target.fetch(Self.request(entity), in: transaction) { lent in
      var rows = MovedRows(lent, columns: MovedColumn.all(of: entity))
      while try rows.next() {
        digest.add(try naming(entity, rows.key) { try rows.forEachValue { _, _ in } })
        if digest.count.isMultiple(of: Self.batchSize) { try advance(by: Self.batchSize) }
      }
    }
    try advance(by: digest.count % Self.batchSize)
    return digest
  }

  private func digest(of list: MovedList, in transaction: any StoreTransaction) throws -> ContentsDigest {
    var (pairs, places) = (PairDigest(list.relationship), ContentsDigest())
    if list.kind == .places {
      try list.forEachPlace(in: target, transaction) { places.add($0) }
      return places
    }
    try forEachOwners(of: list) { owners in
      pairs.beginOwners()
      try list.forEachPair(of: owners, in: target, transaction) { pairs.add($0) }
    }
    return pairs.contents
  }
}
