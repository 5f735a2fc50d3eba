import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// The changes that one save writes, by entity.
struct SavedChanges {
  /// The changes of one entity. A class, since a save goes over them a dozen times.
  final class SavedEntity {
    /// The changes of the context.
    let source: EntityChanges
    let inserted: ContiguousArray<AnyObject>
    let changed: ContiguousArray<AnyObject>
    let deleted: ContiguousArray<AnyObject>
    /// The keys of batch-deleted rows.
    let batchDeletedKeys: [Int64]
    /// The count of the source when the save collected the changes.
    let filterCount: Int

    init(_ source: EntityChanges) {
      self.source = source
      inserted = source.livingInserted
      changed = source.livingChanged
      deleted = source.livingDeleted
      batchDeletedKeys = source.ownBatchDeletedKeys.isEmpty ? [] : source.ownBatchDeletedKeys.sorted()
      filterCount = source.filterCount
    }

    private init(_ changes: SavedEntity, inserting inserted: ContiguousArray<AnyObject>) {
      self.inserted = inserted
      (source, changed, deleted) = (changes.source, changes.changed, changes.deleted)
      (batchDeletedKeys, filterCount) = (changes.batchDeletedKeys, changes.filterCount)
    }

    var map: IdentityMap { source.map }
    var isEmpty: Bool { inserted.isEmpty && !changesRows }
    var deletesRows: Bool { !deleted.isEmpty || !batchDeletedKeys.isEmpty }
    /// Whether rows change or go that others may have read.
    var changesRows: Bool { !changed.isEmpty || deletesRows }

    /// The keys of the rows that are changed or deleted.
    var writtenKeys: [Int64] { map.keys(of: changed) + map.keys(of: deleted) + batchDeletedKeys }

    /// Whether code has deleted collected new objects since, as code may that the rows of an earlier store executed.
    var hasTakenBack: Bool {
      func hasTakenBack<T: PersistentModel>(as type: T.Type) -> Bool {
        !inserted.allSatisfy { unsafeDowncast($0, to: T.self)._$state.pointee.flags.contains(.inserted) }
      }
      return hasTakenBack(as: map.entity.modelType)
    }

    /// The changes without those objects, which get no rows.
    var withoutTakenBack: SavedEntity {
      let pending = inserted.filter { map.entity.model($0)._$state.pointee.flags.contains(.inserted) }
      return SavedEntity(self, inserting: ContiguousArray(pending))
    }
  }

  private(set) var entities: [SavedEntity]
  let upserts = Upserts()
  /// What the deletions of the save concern besides its objects; nil without deletions.
  let affected: AffectedByDeletion?
  let bindings = TokenBindings()
  /// What the save writes to each store, in the order of ``entities``.
  private var parts: [Part] = []

  /// What a save writes to one store besides rows.
  final class Part {
    let store: StoreCoordinator
    /// Pairs and positions; nil if no entity has any. The context applies them after the commit.
    let relationships: RelationshipChanges?
    /// What is recorded; nil if the store keeps no history.
    let history: SavedHistory?
    /// What others have changed of the rows that the save writes; nil until that is looked for.
    private var foundConflicts: ConflictResolution?

    fileprivate init(_ store: StoreCoordinator, _ entities: [SavedEntity]) {
      self.store = store
      let isRelated = entities.contains { !$0.map.entity.relationships.isEmpty }
      relationships = isRelated ? RelationshipChanges(entities) : nil
      history = store.keepsHistory ? SavedHistory(of: store) : nil
    }

    func conflicts() -> ConflictResolution? {
      foundConflicts = foundConflicts ?? ConflictResolution()
      return foundConflicts
    }

    /// Ends them, with the part: another store of the save may still fail.
    func takeConflicts() -> ConflictResolution? {
      defer { foundConflicts = nil }
      return foundConflicts
    }
  }

  init(collecting context: ModelContext) {
    entities = context.orderedChanges.compactMap { source in
      let changes = SavedEntity(source)
      return changes.isEmpty ? nil : changes
    }
    affected = entities.contains(where: \.deletesRows) ? AffectedByDeletion() : nil
    for changes in entities where !parts.contains(where: { $0.store === changes.map.store }) {
      parts.append(Part(changes.map.store, entities(of: changes.map.store)))
    }
  }

  /// The changes of a store.
  private func entities(of store: StoreCoordinator) -> [SavedEntity] {
    let isAlone = entities.allSatisfy { $0.map.store === store }
    return isAlone ? entities : entities.filter { $0.map.store === store }
  }

  /// The stores with changes, each once.
  var stores: [StoreCoordinator] { parts.map { $0.store } }

  func part(of store: StoreCoordinator) -> Part? { parts.first { $0.store === store } }

  /// The pairs and positions of a store; nil if no entity has any.
  func relationships(of store: StoreCoordinator) -> RelationshipChanges? { part(of: store)?.relationships }

  /// The rows that a store changed by its foreign keys.
  func affectedRows(of store: StoreCoordinator) -> [AffectedRows] { affected?.rows(in: store) ?? [] }

  /// What is recorded of a store; nil if it keeps no history.
  func history(of store: StoreCoordinator) -> SavedHistory? { part(of: store)?.history }

  /// The tokens of the save, by the identifiers of the stores that keep a history.
  ///
  /// - Parameter known: Those of the last save, whose keys are mostly the same.
  func historyTokens(replacing known: consuming [String: any HistoryToken]) -> [String: any HistoryToken] {
    if parts.count == 1, known.count == 1, let token = parts[0].history?.token,
      known.first?.key == parts[0].store.engine.identifier
    {
      known.values[known.startIndex] = token
      return known
    }
    var tokens: [String: any HistoryToken] = [:]
    // A copied file has the identifier of its original: the last one counts.
    for part in parts {
      if let token = part.history?.token { tokens[part.store.engine.identifier] = token }
    }
    return tokens
  }

  // MARK: Writing

  /// Loads the relationships that the writing needs, before the last save of a context: once the changes are detached
  /// from it, a relationship is read with objects of another context.
  ///
  /// - Throws: The error of a read.
  func loadRelationships() throws {
    for part in parts { try part.relationships?.load() }
  }

  /// Writes to every store with changes, with one transaction for each.
  ///
  /// Stores commit one by one. Entities of different stores cannot be related, so each store stays consistent.
  ///
  /// - Parameters:
  ///   - context: The context.
  ///   - retry: The number of the attempt, without the first. A later one compares every row.
  ///   - didSavePart: Gets what a partial save has saved, before the error of a later store is thrown.
  /// - Throws: `RetryableFailure` if the save has to be run again, outside of a `transaction` only.
  func write(
    in context: ModelContext, retry: Int = 0, didSavePart: (SavedIdentifiers) -> Void = { _ in }
  ) throws {
    guard let log = context.transactionSnapshot else {
      return try writeAndCommit(in: context, retry: retry, didSavePart: didSavePart)
    }
    var marks: [OpenTransactions.Mark] = []
    do {
      for store in stores {
        let transaction = try log.begin(in: store)
        marks.append(try log.mark(store))
        if deletesRows(of: store) { log.noteDeletion(in: store) }
        try write(to: store, in: transaction, of: context, isRetry: false)
      }
      try log.release(marks)
      for store in stores {
        if changesRows(of: store) {
          // A context that subscribes before the end of the transaction has to read everything again.
          log.note(store.subscribers.areSeveral ? news(of: store) : .unknown, of: store, from: context.inbox)
        }
        log.note(store.watchers.isEmpty ? nil : committedChanges(of: store), of: store)
        didCommit(store, in: context)
      }
    } catch {
      // The transaction continues and may save again. This save must leave nothing in it.
      log.undo(marks, after: error)
      forgetKeys(in: entities)
      throw error
    }
  }

  private func writeAndCommit(
    in context: ModelContext, retry: Int, didSavePart: (SavedIdentifiers) -> Void
  ) throws {
    var all: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
    var committedCount = 0
    do {
      for part in parts { all.append((part.store, try part.store.beginTransaction(retry: retry))) }
      for (store, transaction) in all { try write(to: store, in: transaction, of: context, isRetry: retry > 0) }
      if all.count > 1 { for (_, transaction) in all { try transaction.prepareCommit() } }
      for (store, transaction) in all {
        let number = try context.commit(transaction, to: store, changesRows: changesRows(of: store))
        committedCount += 1
        // Before the objects forget what was changed.
        let watched = store.watchers.isEmpty ? nil : committedChanges(of: store)
        didCommit(store, in: context)
        notify(store, commit: number, from: context)
        if let watched { store.watchers.notify(watched) }
      }
    } catch {
      let open = all.dropFirst(committedCount)
      for (_, transaction) in open { transaction.rollBack() }
      let saved = committedCount > 0 ? part(without: open.map(\.store)) : nil
      // The identifiers need the keys of upserts, so they are collected before these are reset.
      let identifiers = saved?.identifiers()
      // Only a commit throws such an error, and that is of the first store.
      let uncertain = UnknownOutcome.isCause(of: error) ? open.first?.store : nil
      if let uncertain { noteUncertainRows(of: uncertain, in: context) }
      forgetKeys(in: entities.filter { changes in open.contains { $0.store === changes.map.store } })
      guard let saved, let identifiers else {
        // A partial save is not run again: its rest is a save of its own.
        guard uncertain == nil, retry < retryLimit(after: error) else { throw error }
        throw RetryableFailure()
      }
      didSavePart(identifiers)
      throw PartialCommit(saved: saved.stores, refused: open.map(\.store), uncertain: uncertain).error(error)
    }
  }

  /// The number of times that a save with an error may be run again.
  private func retryLimit(after error: any Error) -> Int {
    stores.filter { $0.engine.isRetryable(error) }.map(\.engine.saveRetryLimit).max() ?? 0
  }

  /// The changes of the stores that have committed.
  private func part(without refusing: [StoreCoordinator]) -> SavedChanges {
    var part = self
    part.entities.removeAll { changes in refusing.contains { $0 === changes.map.store } }
    part.parts.removeAll { part in refusing.contains { $0 === part.store } }
    return part
  }

  private func write(
    to store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext, isRetry: Bool
  ) throws {
    var own = entities(of: store)
    for changes in own where store.identities != nil {
      try transaction.lock(changes.writtenKeys, of: changes.map.entity)
    }
    let knowsAll = !isRetry && context.knowsAll(of: store)
    let mayWait = !store.engine.isSingleWriter && !isRetry && context.transactionSnapshot == nil
    var expected = mayWait ? expectedValues(own) : nil
    let waits = expected != nil && transaction.beginWaiting()
    if !waits { expected = nil }
    let part = part(of: store)
    if own.contains(where: \.changesRows) {
      try part?.conflicts()?.resolve(own, in: transaction, of: context, onlyContested: knowsAll || waits)
    }
    let (relationships, history) = (part?.relationships, part?.history)
    history?.trustsOriginals = knowsAll && own.allSatisfy { $0.source.originals.contested.isEmpty }
    if own.contains(where: { $0.hasTakenBack }) {
      own = own.map(\.withoutTakenBack)
      relationships?.leaveOut(allBut: own)
    }
    for changes in own where !changes.inserted.isEmpty {
      if store.keysRise {
        let first = try reserveKeys(changes.inserted.count, for: changes.map, in: transaction)
        assignKeys(changes.inserted, from: first, in: changes.map, as: changes.map.entity.modelType)
      } else {
        try assignTakenKeys(to: changes)
      }
      try giveFormerKeys(to: changes, in: transaction)
    }
    // Loaded before any write: a read must not find rows of new objects before those are registered.
    try relationships?.load()
    let deletions = own.filter(\.deletesRows)
    // Rows are compared before a deletion clears or deletes the rows that refer to them.
    let updatesFirst = waits && !deletions.isEmpty
    if !waits { try releaseReferences(own, in: transaction) }
    if updatesFirst { try update(own, in: transaction, of: context, expecting: expected) }
    // Deletions come before insertions: a unique value may be deleted with one row and inserted with another.
    if let affected, !deletions.isEmpty {
      upserts.dropChanges(toRowsOf: deletions, of: own)
      try affected.batchDeleted.read(deletions, in: transaction)
      // The only context of a store, if it knows all commits, has applied every foreign key action itself.
      let mayAffectOthers = !knowsAll || store.subscribers.areSeveral || !store.watchers.isEmpty
      try delete(deletions, in: transaction, of: store, watchesReferences: mayAffectOthers, expecting: expected)
      let deleted = affected.deleted(in: store)
      if !deleted.isEmpty { try part?.conflicts()?.lose(deleted, of: own, policy: context.conflictPolicy) }
    }
    for changes in Self.inOrderOfUniqueness(own) { try insert(changes, in: transaction) }
    for changes in own { history?.noteInsertions(changes, upserts) }
    if !updatesFirst { try update(own, in: transaction, of: context, expecting: expected) }
    for changes in own { changes.forgetLateInverses() }
    try relationships?.findMoves(in: transaction, of: context, besides: upserts)
    for changes in own { changes.forgetLatePairs() }
    try relationships?.write(in: transaction)
    if try transaction.hasBrokenReferences() {
      try part?.conflicts()?.mendReferences(of: own, to: store, in: transaction, policy: context.conflictPolicy)
    }
    try history?.write(to: transaction, by: context.savedState)
    // A store of the program gives an identifier of its own, which the object has from then on.
    bindings.bind(in: store, isAlias: { store.identities != nil || upserts.contains($0) })
  }

  // MARK: Keys

  private func assignKeys<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, from first: Int64, in map: IdentityMap, as type: T.Type
  ) {
    var key = first
    for object in objects {
      let state = unsafeDowncast(object, to: T.self)._$state
      state.pointee.primaryKey = key
      key += 1
      if state.pointee.hasExtras, let token = state.pointee.token { bindings.note(object, token, in: map) }
    }
  }

  /// Assigns keys of an engine whose keys do not rise.
  private func assignTakenKeys(to changes: SavedEntity) throws {
    var rest = changes.inserted[...]
    for keys in try takeKeys(changes.inserted.count, for: changes.map) {
      let part = ContiguousArray(rest.prefix(keys.count))
      assignKeys(part, from: keys.lowerBound, in: changes.map, as: changes.map.entity.modelType)
      rest = rest.dropFirst(part.count)
    }
  }

  private func forgetKeys(in entities: [SavedEntity]) {
    bindings.undo()
    upserts.undo()
    for part in parts { part.takeConflicts()?.undo() }
    var withdrawn: [GoneObjects.Withdrawn] = []
    for changes in entities {
      forgetKeys(changes.inserted, in: changes.map, noting: &withdrawn, as: changes.map.entity.modelType)
    }
    GoneObjects.part(withdrawn)
  }

  /// - Parameter withdrawn: Gets the objects that leave the context.
  private func forgetKeys<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, in map: IdentityMap, noting withdrawn: inout [GoneObjects.Withdrawn],
    as type: T.Type
  ) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      guard model._$state.pointee.flags.contains(.inserted) else { continue }
      model._$state.pointee.primaryKey = 0
      guard model._$state.pointee.flags.contains(.deleted) else { continue }
      model.modelContext?.withdrawDeleted(model)
      withdrawn.append((model, map))
    }
  }
}

/// Validates the relationships of a save before any row is written.
struct SaveValidation {
  private let changes: SavedChanges
  private let context: ModelContext

  init(_ changes: SavedChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with every violation, or the error of a failed read.
  func run() throws {
    try refuseForeignReferences()
    if !context.unreadModels.isEmpty { try context.throwFailedReads(isReported: false) }
    var violations = orphans()
    for entity in changes.entities where entity.map.entity.hasRelationships {
      if !entity.source.keepsRelationships { try requireRelationships(of: entity, as: entity.map.entity.modelType) }
      for relationship in entity.map.entity.relationships {
        violations += try check(relationship, entity, as: entity.map.entity.modelType)
      }
    }
    try Self.refuse(violations)
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with all violations, if there are any.
  static func refuse(_ violations: [String]) throws {
    guard let first = violations.first else { return }
    let text = violations.count == 1 ? first : "\(violations.count) violations:\n" + violations.joined(separator: "\n")
    throw SwiftDataError(.modelValidationFailure, text)
  }

  private func refuseForeignReferences() throws {
    guard !context.foreignReferences.isEmpty else { return }
    context.exchange(\.foreignReferences, for: context.foreignReferences.filter { isHeld($0, by: $0.model) })
    guard let reference = context.foreignReferences.first else { return }
    throw SwiftDataError(
      .modelOfAnotherContext,
      "\(reference.relationship.path) holds \(ModelContext.name(reference.related)), which belongs to another "
        + "context; look that model up in this context by its persistentModelID")
  }

  private func isHeld<T: PersistentModel>(_ foreignReference: ForeignReference, by model: T) -> Bool {
    guard model._$state.pointee.identityMap?.context === context, !model.isDeleted else { return false }
    return model._$edit(.read, at: foreignReference.relationship.position).objects.contains {
      $0 === foreignReference.related
    }
  }

  /// Throws if generated code does not keep a relationship of an entity. One object of it tells that, once for each
  /// context.
  ///
  /// `@Model` knows the type of a property by the name that is written. A type alias may give a model the name of a value,
  /// as `Date`, which neither a macro nor the schema can see.
  private func requireRelationships<T: PersistentModel>(of entity: SavedChanges.SavedEntity, as type: T.Type) throws {
    guard let object = entity.inserted.first ?? entity.changed.first else { return }
    let model = unsafeDowncast(object, to: T.self)
    for relationship in entity.map.entity.relationships where T._$isGenerated {
      guard !model._$edit(.find, at: relationship.position).isHandled else { continue }
      throw SwiftDataError(
        .invalidSchema,
        "\(relationship.path): its type \(relationship.destination) is a model, and @Model takes it for a value by the name "
          + "with which it is written, so that neither an inverse nor a list would be kept. Write the name of the model, "
          + "not that of a type alias, or @Relationship before the property.")
    }
    entity.source.keepsRelationships = true
  }

  // MARK: Lost owners

  private func orphans() -> [String] {
    guard !context.orphans.isEmpty else { return [] }
    return context.orphans.all.compactMap { orphan in describe(orphan, orphan.object) }
  }

  private func describe<T: PersistentModel>(_ orphan: Orphan, _ object: T) -> String? {
    let state = object._$state
    guard let map = state.pointee.identityMap, map.context === context, !object.isDeleted,
      let relationship = map.entity.relationship(at: orphan.position),
      object._$relatedObject(at: orphan.position) === orphan.owner
    else { return nil }
    let owner = ModelContext.name(orphan.owner)
    let reason = orphan.owner.isDeleted ? "\(owner) is deleted" : "\(owner) gave it up"
    return "\(relationship.path) of \(ModelContext.name(object)) must have a value, but \(reason); "
      + "set it to another \(relationship.destination), or delete the \(relationship.entity)"
  }

  // MARK: Counts and rules

  private func check<T: PersistentModel>(
    _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, as type: T.Type
  ) throws -> [String] {
    var violations: [String] = []
    if relationship.isRequired || relationship.isCounted {
      violations += try changes.inserted.compactMap {
        try count(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
      let changed: ContiguousArray<AnyObject> = changes.changed.filter {
        isConcerned(unsafeDowncast($0, to: T.self), relationship)
      }
      changes.map.store.prefetchMembers(relationship, of: changed, in: changes.map, as: type)
      violations += try changed.compactMap { try count(unsafeDowncast($0, to: T.self), relationship, changes.map) }
    }
    if relationship.deleteRule == .deny {
      violations += try changes.deleted.compactMap {
        try denial(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
    }
    return violations
  }

  private func isConcerned<T: PersistentModel>(_ object: T, _ relationship: RelationshipLayout) -> Bool {
    object._$state.pointee.dirty & PropertyMask.bit(relationship.position) != 0
  }

  private func count<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let count = try object._$countRelatedModels(relationship, in: map)
    let path = "\(relationship.path) of \(ModelContext.name(object))"
    if relationship.isRequired, count == 0 { return "\(path) must have a value; set it before saving" }
    // As documented by Apple: an optional relationship that is nil is not counted.
    if relationship.isOptional, count == 0 { return nil }
    if count < relationship.minimumCount {
      return "\(path) has \(count) models, and must have at least \(relationship.minimumCount)"
    }
    if relationship.maximumCount > 0, count > relationship.maximumCount {
      return "\(path) has \(count) models, and may have at most \(relationship.maximumCount)"
    }
    return nil
  }

  private func denial<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let left = try object._$readRelatedModels(relationship, in: map).filter { !$0.isDeleted }
    guard let first = left.first else { return nil }
    let others = left.count > 1 ? " and \(left.count - 1) more" : ""
    return "\(ModelContext.name(object)) cannot be deleted: \(relationship.path) denies it while there is "
      + "\(ModelContext.name(first))\(others); delete or change those first"
  }
}

extension RelationshipLayout {
  /// Whether the number of models has a limit besides its type.
  fileprivate var isCounted: Bool { isToMany && (minimumCount > 0 || maximumCount > 0) }
}

/// A save to several stores of which one failed to commit after others had committed.
///
/// Stores commit one by one, after all checks, so this happens only if a disk fails or fills up in between.
package struct PartialCommit {
  let saved: [StoreCoordinator]
  let refused: [StoreCoordinator]
  /// The store that may have committed or not. It is left out of ``refused``.
  let uncertain: StoreCoordinator?
  /// What happens to unsaved changes, as a sentence.
  let rest: String

  init(
    saved: [StoreCoordinator], refused: [StoreCoordinator], uncertain: StoreCoordinator?,
    rest: String = "The rest is still pending, and the next save writes it."
  ) {
    self.saved = saved
    self.refused = refused.filter { $0 !== uncertain }
    self.uncertain = uncertain
    self.rest = rest
  }

  /// The error of the failed store, with the state of the others.
  func error(_ error: any Error) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    var others: [String] = []
    if !refused.isEmpty { others.append("Not saved: \(Self.words(refused)). ") }
    if let uncertain { others.append("Not known: \(Self.words([uncertain])). ") }
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were saved, and the others were not. Saved: \(Self.words(saved)). "
        + "\(others.joined())"
        + "What was saved stays saved. \(rest) The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  /// The error of a store that could not be erased, with the state of the others.
  package static func error(
    _ error: any Error, erased: some Sequence<StoreCoordinator>, left: some Sequence<StoreCoordinator>
  ) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were erased, and the others were not. Erased: \(words(Array(erased))). "
        + "Not erased: \(words(Array(left))). Erasing again erases the rest. The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  private static func words(_ stores: [StoreCoordinator]) -> String {
    stores.map { store in
      "\(store.engine.location) (\(store.layouts.map(\.name).sorted().joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}

/// A save that a concurrent transaction made fail and that has to be run again. Nothing of it is written, and its
/// changes are pending as before. It never leaves the context.
struct RetryableFailure: Error {}
