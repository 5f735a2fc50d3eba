import Foundation
import Logging
import PersistenceHistory
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import Synchronization

/// A set of models with their unsaved changes. Apple's.
///
/// A context has one object for each row. It retains changed objects, but not unchanged objects. A context is not
/// Sendable: use it and its models only in the actor or task that created it.
///
/// Models whose relationships were read or set retain each other, and stay in memory until their context is released.
/// Models whose deletion was saved release each other. If models have many relationships, use a separate context for
/// each task.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Oslo"))
/// try context.save()
/// // BEGIN IMMEDIATE; INSERT INTO "Trip" …; COMMIT
/// ```
public final class ModelContext: Equatable, SendableMetatype {
  /// The stores of the container. The context keeps them open.
  package let stores: ContainerStores
  /// The container of the context, retained. `AnyObject`, because this module does not import the containers.
  private let ownedHome: AnyObject?
  /// The container that owns this main context.
  private weak var owningHome: AnyObject?
  /// Whether this is the main context of a container. The container may be released before the context.
  package let isMain: Bool
  // Unchecked: one thread at a time uses a context, and no access to these properties lasts while code of the program
  // executes. A save reads all of them, and dynamic checks would take longer than the reads.

  /// The changes of each entity, by model type.
  @exclusivity(unchecked) package var entityChanges: [ObjectIdentifier: EntityChanges] = [:]
  let observation = ObservationPool()
  @exclusivity(unchecked) package var pending = PendingCounts()
  /// The changes that the context rejected. The next save throws them, because the calls could not throw.
  @exclusivity(unchecked) package var refusals: [SwiftDataError] = []
  /// The number of rejected changes that were logged.
  package var reportedRefusals = 0
  /// The number of saves that threw rejected changes.
  var thrownRefusalCount = 0
  /// Objects with properties that could not be read.
  @exclusivity(unchecked) package var unreadModels: [UnreadModel] = []
  /// The number of ``unreadModels`` at which objects without failed reads are removed.
  var unreadLimit = 64
  /// The rows that no model can represent, with their errors.
  package var leftOutRows: [LeftOutRow: SwiftDataError] = [:]
  /// Unread rows that deletions cascade to.
  @exclusivity(unchecked) var cascadedRows: [CascadedRows] = []
  /// The keys of the last read for a deletion. The next deletion of a series uses them.
  @exclusivity(unchecked) var cascadeReads: CascadeReads?
  /// Deletions whose cascade could not be read completely.
  @exclusivity(unchecked) var incompleteDeletions: [IncompleteDeletion] = []
  /// The error of the last failed read since this property was last reset.
  var readFailure: (any Error)?
  var transactionSnapshot: TransactionSnapshot?
  /// Objects that lost the target of a required relationship. The next save checks whether they have a new target.
  @exclusivity(unchecked) var orphans = OrphanList()
  /// Deleted objects that have not released each other yet.
  @exclusivity(unchecked) var gone: ContiguousArray<any PersistentModel> = []
  /// The index of one-way references during many deletions.
  @exclusivity(unchecked) var referrers = ReferrerIndex()
  /// Changed lists that were compared only at their end, by owner and position.
  @exclusivity(unchecked) var uncomparedLists: [(any PersistentModel, Int)] = []
  /// Objects of other contexts in relationships of new models. No save succeeds before they are replaced.
  @exclusivity(unchecked) var foreignReferences: [ForeignReference] = []
  /// The rows that new objects may have after a commit with an unknown outcome.
  @exclusivity(unchecked) var uncertainRows: [UncertainRow] = []
  /// Inserted objects whose relationships have not been followed yet; nil outside of ``insert(_:)``.
  var insertions: ContiguousArray<any PersistentModel>?
  /// The number of rollbacks, without the rollbacks that undo transactions.
  var rollbackCount = 0
  /// Whether the context writes in its deinit. The program must not find it then.
  var isHidden = false
  /// Whether a transaction is being undone. The changes of the undo must not be recorded.
  var isUndoing = false
  /// The property whose former value the undo of a transaction restores now.
  var restored: (object: AnyObject, keyPath: AnyKeyPath)?
  /// The undo recorder; nil without an undo manager.
  var undoRecorder: UndoRecorder?
  /// Whether a save writes. Changes by code that it executes are recorded.
  var notesLateChanges = false
  /// Changes by code that the save executes; nil without any.
  @exclusivity(unchecked) var lateChanges: LateChanges?
  /// The batch of rows that the save writes now; nil between two batches.
  @exclusivity(unchecked) var rowSession: WriteSession?
  package let autosave = AutosaveSchedule()
  /// The changes of other contexts that have not been applied yet.
  package let inbox = ChangeInbox()
  /// The live queries that are notified of the context's changes; nil without any.
  package var watch: (any ContextWatching)? {
    didSet { notesChanges = autosaveEnabled || watch != nil }
  }
  /// Whether autosaves or live queries need notifications of changes. One flag, so that a change tests only once.
  var notesChanges = false
  /// The stores that deliver to the inbox.
  var subscriptions: [StoreCoordinator] = []
  /// Whether remote changes are being applied. Observers must not start to apply them again.
  var isReceiving = false
  /// The number of saves that wrote to a store, committed or in an open transaction.
  var saveCount = 0
  /// The executor of actor models.
  package var knownExecutor: ForwardingExecutor?
  /// For each store, the commits that the context knows, including its own, and the result of
  /// ``ComparingEngine/beginReads()``.
  @exclusivity(unchecked) var reaches: [(store: StoreCoordinator, reach: StoreReach, start: AnyObject?)] = []
  /// The number of rows that saves have compared since the context last applied all remote changes.
  var comparedRows = 0
  /// The last used entity, cached because models are inserted and changed in series.
  @exclusivity(unchecked) var lastChanges: (type: ObjectIdentifier, changes: EntityChanges)?
  @exclusivity(unchecked) var lastLookup: (entity: ObjectIdentifier, map: IdentityMap)?

  /// How a save treats a row that was changed elsewhere since this context read it. Ours.
  ///
  /// By default a save merges by property. If both sides changed a property, the value of this context is kept.
  public var conflictPolicy = ConflictPolicy.mergeByProperty(keeping: .ours)

  /// The conflicts that the last save resolved by ``conflictPolicy``; empty if there were none. Ours.
  @exclusivity(unchecked) public internal(set) var resolvedConflicts: [SaveConflict] = []

  /// The user info of the last ``didSave``.
  @exclusivity(unchecked) var savedInformation = SavedInformation()

  /// The author of the changes, for the history of the store. Apple's.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// The identity of the context's edits for its stores. Apple's.
  public var editingState: EditingState {
    get {
      if let storedEditingState { return storedEditingState }
      let state = EditingState()
      storedEditingState = state
      return state
    }
    set { storedEditingState = newValue }
  }

  /// The editing state that a save reports; nil if `editingState` has not been read or set.
  var savedState: EditingState? { storedEditingState }

  /// Created on demand: it is rarely used, and its identity needs random numbers of the system.
  @exclusivity(unchecked) private var storedEditingState: EditingState?

  /// Whether the context saves without a call of ``save()``. Apple's.
  ///
  /// An autosave runs half a second after a change, when the context is released, and when the container is closed. The
  /// main context saves on the main actor, and the context of a model actor on the executor of the actor. Any other
  /// context has no known executor, and saves at its next operation after that time. A failure is logged, and the save
  /// is retried later. An autosave ignores rejected changes; the next ``save()`` throws them.
  ///
  /// The default is true for a main context and false for any other.
  public var autosaveEnabled = false {
    didSet {
      notesChanges = autosaveEnabled || watch != nil
      guard autosaveEnabled else { return autosave.cancel() }
      if hasChanges { scheduleAutosave() }
    }
  }

  /// Creates a context of stores. A context without a container is for objects whose own context was released.
  ///
  /// - Parameters:
  ///   - stores: The stores.
  ///   - ownedHome: The container that the context retains.
  ///   - owningHome: The container that owns the context as its main context.
  package init(stores: ContainerStores, ownedHome: AnyObject? = nil, owningHome: AnyObject? = nil) {
    self.stores = stores
    self.ownedHome = ownedHome
    self.owningHome = owningHome
    self.isMain = owningHome != nil
  }

  deinit {
    if autosaveEnabled { saveOnClosing() }
    // Closing the container waits for this save.
    if autosave.isListed { stores.autosavingContexts.remove(ObjectIdentifier(autosave)) }
    if autosave.isWatched { EndOfProcess.shared.forget(autosave.mark) }
    // Unsubscribes after the save, because the save counts the subscribers including this context.
    for store in subscriptions {
      store.subscribers.remove(inbox)
      if store.identities != nil { (store.engine as? any EditedEngine)?.end(editingState) }
    }
    // Entities with lists come first. Closing them frees members that only the lists retain, so these members need no
    // release of their own.
    let all = entityChanges.values.sorted { $0.map.entity.holdsLists && !$1.map.entity.holdsLists }
    // All entities are detached before one of them releases objects: code of observers must not find the context.
    for changes in all { changes.closeContext() }
    for changes in all { changes.close() }
    transactionSnapshot?.abandon()
  }

  /// The container of the context; nil if the container was released, or if the context never had one.
  package var home: AnyObject? { ownedHome ?? owningHome }

  package var logger: Logger { .library }

  /// Whether two references are the same context.
  ///
  /// - Parameters:
  ///   - lhs: A context.
  ///   - rhs: Another context.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool {
    lhs === rhs
  }
}

@available(
  *, unavailable,
  message: "contexts cannot be shared across concurrency contexts; send the container and make a context there"
)
extension ModelContext: @unchecked Sendable {}

/// The number of pending changes.
package struct PendingCounts {
  var inserted = 0
  var changed = 0
  var deleted = 0
  /// Rows that are deleted without objects.
  package var batchDeletedKeys = 0

  package var isEmpty: Bool { inserted == 0 && changed == 0 && deleted == 0 && batchDeletedKeys == 0 }
}

extension PendingCounts: CustomStringConvertible {
  package var description: String { "\(inserted) inserted, \(changed) changed, \(deleted + batchDeletedKeys) deleted" }
}

extension ModelContext {
  /// The map of an entity; nil if the entity is not in the schema.
  func identityMap(for type: any PersistentModel.Type) -> IdentityMap? { changes(for: type)?.map }

  /// The changes of an entity; nil if the entity is not in the schema.
  package func changes(for type: any PersistentModel.Type) -> EntityChanges? {
    let identifier = ObjectIdentifier(type)
    if let lastChanges, lastChanges.type == identifier { return lastChanges.changes }
    guard let changes = entityChanges[identifier] ?? makeChanges(for: type) else { return nil }
    lastChanges = (identifier, changes)
    return changes
  }

  private func makeChanges(for type: any PersistentModel.Type) -> EntityChanges? {
    guard let (store, layout) = stores.layout(of: type) else { return nil }
    if !subscriptions.contains(where: { $0 === store }) {
      subscriptions.append(store)
      store.subscribers.add(inbox)
      if store.identities != nil { (store.engine as? any EditedEngine)?.begin(editingState) }
    }
    noteFirstUse(of: store)
    let root = layout.inheritance.flatMap { $0.isRoot ? nil : changes(for: $0.rootType) }
    let map = IdentityMap(
      entity: layout, store: store, observation: observation, root: root?.map, ownerType: EntityChanges.self)
    let made = EntityChanges(of: map, in: self, root: root)
    if isHidden { made.hideContext(true) }
    entityChanges[ObjectIdentifier(type)] = made
    return made
  }

  /// The changes of an entity and of its subentities, as far as the context has used them.
  package func family(of map: IdentityMap) -> [EntityChanges] {
    guard let changes = map.changes else { return [] }
    guard let inheritance = map.entity.inheritance else { return [changes] }
    return [changes] + inheritance.subentities.compactMap { entityChanges[ObjectIdentifier($0.modelType)] }
  }

  /// - Throws: If the entity is not in the schema.
  package func requireIdentityMap(for type: any PersistentModel.Type) throws -> IdentityMap {
    try requireChanges(for: type).map
  }

  /// - Throws: If the entity is not in the schema.
  package func requireChanges(for type: any PersistentModel.Type) throws -> EntityChanges {
    guard let changes = changes(for: type) else { throw stores.unknownModel(type) }
    return changes
  }

  /// The open transaction of a store, through which the context reads its own uncommitted rows.
  package func openTransaction(of store: StoreCoordinator) -> (any StoreTransaction)? {
    if let transaction = transactionSnapshot?.transaction(of: store) { return transaction }
    if let reads = store.uncommittedReads, !autosave.isSaving { reads.note() }
    return nil
  }
}

extension ModelContext {
  /// The executor of the context's actor models; nil if the executor of the context is unknown.
  var execution: ForwardingExecutor? {
    if let knownExecutor { return knownExecutor.isUnbound ? nil : knownExecutor }
    guard isMain else { return nil }
    let execution = ForwardingExecutor.mainActor()
    knownExecutor = execution
    return execution
  }

  /// Records the executor of the context's code. The executor of a main context is always known.
  package func noteExecutor(_ executor: any SerialExecutor) {
    guard !isMain else { return }
    if let knownExecutor {
      guard knownExecutor.isUnbound else { return }
      knownExecutor.move(to: executor)
      autosave.forgetCall()
    } else {
      knownExecutor = ForwardingExecutor(executor)
    }
    // Earlier changes are saved on this executor too.
    startAutosaveTimer()
  }

  /// - Throws: If the entity is an actor and the context has no known executor: its jobs would run concurrently with
  ///   the context.
  package func requireExecution(for entity: EntityLayout) throws {
    if entity.runsInContext, execution == nil { throw executionMissing(entity) }
  }

  func executionMissing(_ entity: EntityLayout) -> SwiftDataError {
    SwiftDataError(
      .executorMissing,
      "\(entity.name) is an actor, and runs where its context does, but nothing runs this context; use that of a model "
        + "actor, the main context, or make a DefaultSerialModelExecutor of the context")
  }

  /// Moves the jobs of a new actor model to the context's executor before the model is used here.
  func takeOverJobs<T: PersistentModel>(of model: T) {
    guard T._$runsInContext, let execution, stores.layout(of: T.self) != nil else { return }
    model._$execution?.followUnlessBound(execution)
  }

  /// Binds a new actor model to the context's executor. Returns false if the context has none.
  func bind<T: PersistentModel>(_ model: T) -> Bool {
    guard let execution else { return false }
    model._$execution?.follow(execution)
    return true
  }
}

extension RowReader {
  /// The executor of the row's model, if it is an actor. For generated code.
  public var execution: _PersistenceRuntime.ForwardingExecutor {
    session.identityMap.context?.execution ?? .unbound
  }
}

/// The open stores of a container, shared by contexts and objects.
package final class ContainerStores: Sendable {
  package let schema: ContainerSchema
  package let stores: [StoreCoordinator]
  /// The models of all stores, in the order of the schema.
  let modelTypes: [any PersistentModel.Type]
  /// The reader threads.
  package let readers: ReaderExecutor
  /// Whether a model is an actor. Such models run on the executor of their context.
  package let hasActorModels: Bool
  package let autosavingContexts = AutosavingContexts()
  private let closed = Atomic<Bool>(false)

  package init(
    schema: ContainerSchema, modelTypes: [any PersistentModel.Type], stores: [StoreCoordinator]
  ) {
    self.schema = schema
    self.stores = stores
    readers = ReaderExecutor(width: stores.map(\.engine.readerCount).max() ?? 1)
    self.modelTypes = modelTypes
    hasActorModels = stores.contains { $0.layouts.contains(where: \.runsInContext) }
  }

  /// Whether the program has closed the container.
  package var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Closes the stores. Every later use throws.
  package func close() {
    closed.store(true, ordering: .relaxed)
    for store in stores { store.engine.close() }
    for store in stores { store.watchers.close() }
  }

  package func layout(of type: any PersistentModel.Type) -> (StoreCoordinator, EntityLayout)? {
    for store in stores {
      if let layout = store.layout(of: type) { return (store, layout) }
    }
    return nil
  }

  /// The model type of an identifier; nil if the container does not have the type.
  func modelType(of identifier: PersistentIdentifier) -> (any PersistentModel.Type)? {
    if let row = identifier.row { return modelType(of: row.entity) }
    return modelTypes.first { Schema.entityName(ofModel: $0) == identifier.entityName }
  }

  func modelType(of entity: StoreEntity) -> (any PersistentModel.Type)? {
    // A copied file has the identifier of its original, so several stores may match. Each entity is in one of them.
    for store in stores where store.engine.identifier == entity.store {
      if let layout = store.layout(knownAs: entity.name) { return layout.modelType }
    }
    return nil
  }

  func contains(_ store: StoreCoordinator) -> Bool {
    stores.contains { $0 === store }
  }

  package func unknownModel(_ type: any PersistentModel.Type) -> SwiftDataError {
    let known = modelTypes.map(Schema.entityName).sorted().joined(separator: ", ")
    if let superclass = EntityLinker.supermodel(of: type), layout(of: superclass) != nil {
      return SwiftDataError(
        .unknownSchema,
        "\(type) is not in the schema of this container, which has its superclass \(superclass); mark \(type) with @Model "
          + "if it is not, and list it when the container is made")
    }
    return SwiftDataError(
      .unknownSchema,
      "\(type) is not in the schema of this container, which has \(known.isEmpty ? "no entities" : known); "
        + "list it when the container is made")
  }
}

/// The schema of a container. A schema that is given as models is created on first use.
package final class ContainerSchema: Sendable {
  private let types: TypeList
  private let made: Lock<Schema?>

  package init(_ schema: Schema) {
    types = TypeList(types: [])
    made = Lock(schema)
  }

  package init(_ types: [any PersistentModel.Type]) {
    self.types = TypeList(types: types)
    made = Lock(nil)
  }

  package var value: Schema {
    made.withLock { made in
      if let made { return made }
      let schema = Schema(types.types)
      made = schema
      return schema
    }
  }

  package func plan() throws -> SchemaPlan {
    if let schema = made.withLock({ $0 }) { return try SchemaPlan(schema) }
    return try SchemaPlan.plan(for: types.types)
  }

  /// Unchecked: metatypes of models are Sendable, but an array of them as existentials is not.
  private struct TypeList: @unchecked Sendable {
    let types: [any PersistentModel.Type]
  }
}
