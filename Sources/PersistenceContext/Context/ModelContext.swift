import Foundation
import Logging
import PersistenceHistory
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import Synchronization

/// A set of models with their unsaved changes. Apple's.
///
/// A context creates only one object for each row. It retains objects with unsaved changes, but not the others. A
/// context is not Sendable: use it and its models only in the actor or task that created it.
///
/// When a relationship is read or set, both models retain each other, and stay in memory until their context is
/// released or their deletion is saved. If models have many relationships, use a separate context for each task.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Oslo"))
/// try context.save()
/// // BEGIN IMMEDIATE; INSERT INTO "Trip" …; COMMIT
/// ```
public final class ModelContext: Equatable, SendableMetatype {
  /// The stores of the container. They stay open as long as the context refers to them.
  package let stores: ContainerStores
  /// The container, if the context retains it. Its type is `AnyObject`, because this module does not import containers.
  private let ownedHome: AnyObject?
  /// The container whose main context this is, not retained; nil for any other context.
  private weak var owningHome: AnyObject?
  /// Whether this is the main context of a container, even if the container was already released.
  package let isMain: Bool
  // `@exclusivity(unchecked)`: only one thread at a time uses a context, and no access to these properties lasts while
  // code of the program executes. A save reads all of them, and dynamic checks would take longer than the reads.

  /// The changes of each entity, by model type.
  @exclusivity(unchecked) package var entityChanges: [ObjectIdentifier: EntityChanges] = [:]
  let observation = ObservationPool()
  @exclusivity(unchecked) package var pending = PendingCounts()
  /// The errors of rejected changes. The next save throws them, because `insert`, `delete` and setters cannot throw.
  @exclusivity(unchecked) package var refusals: [SwiftDataError] = []
  /// The number of ``refusals`` that were logged.
  package var reportedRefusals = 0
  /// The number of saves that have thrown ``refusals``.
  var thrownRefusalCount = 0
  /// The objects with properties that could not be read.
  @exclusivity(unchecked) package var unreadModels: [UnreadModel] = []
  /// The number of ``unreadModels`` above which objects without failed reads are removed.
  var unreadLimit = 64
  /// The rows that fetches left out because no model can represent them, with the reasons.
  package var leftOutRows: [LeftOutRow: SwiftDataError] = [:]
  /// The rows that deletions cascade to and for which no objects were created.
  @exclusivity(unchecked) var cascadedRows: [CascadedRows] = []
  /// The keys that the last query for a cascade read. Later cascades of the same relationship use them until a save.
  @exclusivity(unchecked) var cascadeReads: CascadeReads?
  /// The deletions that could not read a relationship or a row. The next save completes them.
  @exclusivity(unchecked) var incompleteDeletions: [IncompleteDeletion] = []
  /// The error of the last failed read of a property. `IdentityMap.reading(_:)` resets it, to detect failed reads.
  var readFailure: (any Error)?
  @exclusivity(unchecked) var transactionSnapshot: TransactionSnapshot?
  /// The objects whose required relationship lost its target. The next save throws if they have no new target.
  @exclusivity(unchecked) var orphans = OrphanList()
  /// The objects of deleted rows that still retain related objects.
  @exclusivity(unchecked) var gone: ContiguousArray<any PersistentModel> = []
  /// An index of which objects refer to which in relationships without an inverse, for a series of deletions.
  @exclusivity(unchecked) var referrers = ReferrerIndex()
  /// The changed to-many relationships of which only the end was compared. The next save compares the whole lists.
  @exclusivity(unchecked) var uncomparedLists: [(any PersistentModel, Int)] = []
  /// The objects of other contexts in relationships of new models. Each save throws until the program replaces them.
  @exclusivity(unchecked) var foreignReferences: [ForeignReference] = []
  /// The rows that may have been inserted for new objects by a commit with an unknown outcome.
  @exclusivity(unchecked) var uncertainRows: [UncertainRow] = []
  /// The inserted objects of a running ``insert(_:)``, which also inserts their related objects; nil at other times.
  @exclusivity(unchecked) var insertions: ContiguousArray<any PersistentModel>?
  /// The number of calls of ``rollback()``, without those that undo a transaction.
  var rollbackCount = 0
  /// Whether the context saves in its `deinit`. No model returns the context then: the program could retain it.
  var isHidden = false
  /// Whether a transaction is being undone. The changes by the undo itself are not recorded for any transaction.
  @exclusivity(unchecked) var isUndoing = false
  /// The property that the undo of a transaction is setting to its former value; otherwise nil.
  var restored: (object: AnyObject, keyPath: AnyKeyPath)?
  /// The undo recorder; nil without an undo manager.
  @exclusivity(unchecked) var undoRecorder: UndoRecorder?
  /// Whether a save is writing, so that ``lateChanges`` records the changes that code of the program makes meanwhile.
  var notesLateChanges = false
  /// The changes that code of the program made while a save executed it; nil if there are none.
  @exclusivity(unchecked) var lateChanges: LateChanges?
  /// The batch of rows that a save is writing; nil between batches and outside of a save.
  @exclusivity(unchecked) var rowSession: WriteSession?
  package let autosave = AutosaveSchedule()
  /// The changes of other contexts that have not been applied yet.
  package let inbox = ChangeInbox()
  /// Notifies the live queries of the context's changes; nil if there are none.
  package var watch: (any ContextWatching)? {
    didSet { notesChanges = autosaveEnabled || watch != nil }
  }
  /// True if autosaves are enabled or live queries exist. Stored as one flag, so that each change makes only one test.
  @exclusivity(unchecked) var notesChanges = false
  /// The stores that deliver notifications of commits to the inbox.
  var subscriptions: [StoreCoordinator] = []
  /// Whether remote changes are being applied. If an observer reads meanwhile, its read must not apply them again.
  var isReceiving = false
  /// The number of saves that have written to a store, including saves whose transaction is not committed yet.
  var saveCount = 0
  /// The executor on which actor models run; nil if it is unknown or, for a main context, not needed yet.
  package var knownExecutor: ForwardingExecutor?
  /// For each store, the commits whose changes the context has read or made, and the result of
  /// ``ComparingEngine/beginReads()``.
  @exclusivity(unchecked) var reaches: [(store: StoreCoordinator, reach: StoreReach, start: AnyObject?)] = []
  /// The number of rows that saves have compared since the context last applied all remote changes.
  var comparedRows = 0
  /// The changes of the last used entity, cached because consecutive calls mostly concern one entity.
  @exclusivity(unchecked) var lastChanges: (type: ObjectIdentifier, changes: EntityChanges)?
  @exclusivity(unchecked) var lastLookup: (entity: ObjectIdentifier, map: IdentityMap)?

  /// How a save treats a row that another context or process has changed since this context read it. Ours.
  ///
  /// By default a save merges the changes of both sides, property by property. If both sides have changed the same
  /// property, the save writes the value of this context.
  public var conflictPolicy = ConflictPolicy.mergeByProperty(keeping: .ours)

  /// The conflicts that the last save resolved by ``conflictPolicy``; empty if there were none. Ours.
  @exclusivity(unchecked) public internal(set) var resolvedConflicts: [SaveConflict] = []

  /// The user info of the last ``didSave``, whose memory the next save reuses.
  @exclusivity(unchecked) var savedInformation = SavedInformation()

  /// The author of the context's changes, which the history of the store records. Apple's.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// Identifies this context to its stores, and names the author of its changes. Apple's.
  public var editingState: EditingState {
    get {
      if let storedEditingState { return storedEditingState }
      let state = EditingState()
      storedEditingState = state
      return state
    }
    set { storedEditingState = newValue }
  }

  /// The editing state that a save passes to the store; nil if the program has neither read nor set one.
  var savedState: EditingState? { storedEditingState }

  /// Created on first access, because it is rarely used and its identity needs random numbers of the system.
  @exclusivity(unchecked) private var storedEditingState: EditingState?

  /// Whether the context saves without a call of ``save()``. Apple's.
  ///
  /// An autosave runs half a second after a change, when the context is released, and when the container is closed. The
  /// main context saves on the main actor, and the context of a model actor on the executor of the actor. Any other
  /// context saves at its first operation after the half second. If an autosave fails, the error is logged and the save
  /// is retried later. An autosave does not throw rejected changes; the next ``save()`` does.
  ///
  /// The default is true for a main context and false for any other.
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet {
      notesChanges = autosaveEnabled || watch != nil
      guard autosaveEnabled else { return autosave.cancel() }
      if hasChanges { scheduleAutosave() }
    }
  }

  /// Creates a context. Without a container it is a temporary context, or the substitute for a released context.
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
    // A context leaves this list only after its last save: closing the container waits for the listed contexts.
    if autosave.isListed { stores.autosavingContexts.remove(ObjectIdentifier(autosave)) }
    if autosave.isWatched { EndOfProcess.shared.forget(autosave.mark) }
    // Unsubscribes only after the save, because the save tests whether the store has several subscribers.
    for store in subscriptions {
      store.subscribers.remove(inbox)
      if store.identities != nil { (store.engine as? any EditedEngine)?.end(editingState) }
    }
    // Entities with to-many relationships are closed first. That frees the objects that only these relationships
    // retain, so the closing of their own entities has less to do.
    let all = entityChanges.values.sorted { $0.map.entity.holdsLists && !$1.map.entity.holdsLists }
    // All entities lose their reference to the context before any of them releases objects: observers must not find it.
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

  /// The changes of an entity and of its subentities. Subentities that the context has not used yet are left out.
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

  /// The open transaction of this context in a store. Reads through it see the context's own uncommitted rows.
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

  /// Records the executor on which the context is used. Ignored for a main context, which runs on the main actor.
  package func noteExecutor(_ executor: any SerialExecutor) {
    guard !isMain else { return }
    if let knownExecutor {
      guard knownExecutor.isUnbound else { return }
      knownExecutor.move(to: executor)
      autosave.forgetCall()
    } else {
      knownExecutor = ForwardingExecutor(executor)
    }
    // If changes are already pending, their autosave runs on this executor.
    startAutosaveTimer()
  }

  /// - Throws: `SwiftDataError.executorMissing` if the models are actors and the executor of the context is unknown:
  ///   their jobs would run concurrently with the context.
  package func requireExecution(for entity: EntityLayout) throws {
    if entity.runsInContext, execution == nil { throw executionMissing(entity) }
  }

  func executionMissing(_ entity: EntityLayout) -> SwiftDataError {
    SwiftDataError(
      .executorMissing,
      "\(entity.name) is an actor, and runs where its context does, but nothing runs this context; use that of a model "
        + "actor, the main context, or make a DefaultSerialModelExecutor of the context")
  }

  /// Moves the jobs of a new actor model to the context's executor, unless they already have an executor.
  func takeOverJobs<T: PersistentModel>(of model: T) {
    guard T._$runsInContext, let execution, stores.layout(of: T.self) != nil else { return }
    model._$execution?.followUnlessBound(execution)
  }

  /// Binds a new actor model to the executor of the context. Returns false if this executor is unknown.
  func bind<T: PersistentModel>(_ model: T) -> Bool {
    guard let execution else { return false }
    model._$execution?.follow(execution)
    return true
  }
}

extension RowReader {
  /// The executor on which an actor model created from the row runs. For generated code.
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
  package let readers: ReaderExecutor
  /// Whether any model of the schema is an actor. Such models run on the executor of their context.
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

  package var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Closes the stores. Each later read or save throws.
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
    // Several stores may match, because a copied file has the identifier of its original. Only one has the entity.
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

/// The schema of a container. If the container was created with a list of models, the schema is created on first use.
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
