import Foundation
import Logging
import PersistenceRuntime
import PersistenceSupport

/// The models that one piece of code works with, and the changes that it has not saved yet.
///
/// A context has one instance per row. It holds changed models strongly and unchanged ones weakly. It is not Sendable:
/// it belongs to the actor or task that made it, and so do its models.
///
/// Models whose relationships were read or set hold each other, as all objects do that refer to each other, and stay in
/// memory for as long as their context is there. Those whose deletion was saved, here or elsewhere, let go of each other.
/// The others go with the context: where much is related, have one for each piece of work.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Oslo"))
/// try context.save()
/// // BEGIN IMMEDIATE; INSERT INTO "Trip" …; COMMIT
/// ```
public final class ModelContext: Equatable, SendableMetatype {
  /// The stores of the container, which the context keeps open.
  package let stores: ContainerStores
  /// What the context was made of and keeps alive: a container, a type that contexts do not know.
  private let ownedHome: AnyObject?
  /// What owns the context, which must not own it in turn.
  private weak var owningHome: AnyObject?
  /// Whether this is the main context of a container, which may be gone.
  package let isMain: Bool
  /// By model type, with the maps of the objects.
  package var entityChanges: [ObjectIdentifier: EntityChanges] = [:]
  let observation = ObservationPool()
  @exclusivity(unchecked) package var pending = PendingCounts()
  /// What could not be said when it happened, because the call cannot throw; the next save does.
  package var refusals: [SwiftDataError] = []
  /// How many of the refusals the log has.
  package var reportedRefusals = 0
  /// How often a save has thrown refusals.
  var thrownRefusalCount = 0
  /// Objects with properties that could not be read.
  var unreadModels: [UnreadModel] = []
  /// Deletions that could not read what they take along.
  var incompleteDeletions: [IncompleteDeletion] = []
  /// Why something could not be read, since this was last reset.
  var readFailure: (any Error)?
  var transactionSnapshot: TransactionSnapshot?
  /// Objects whose required relationships lost what they held; the next save looks whether they have been mended.
  var orphans = OrphanList()
  /// Objects whose rows went, and which have not let go of each other yet.
  @exclusivity(unchecked) var gone: ContiguousArray<any PersistentModel> = []
  /// What refers to what is deleted without its knowing, while much is deleted.
  @exclusivity(unchecked) var referrers = ReferrerIndex()
  /// The lists of which only the ends have been looked at since they changed, by owner and position.
  var uncomparedLists: [(any PersistentModel, Int)] = []
  /// Objects of other contexts that new models hold; no save succeeds before they are gone.
  var foreignReferences: [ForeignReference] = []
  /// Objects that were inserted and whose relationships have not been followed yet; nil while nothing is inserted.
  var insertions: ContiguousArray<any PersistentModel>?
  /// Whether a transaction is being undone, which is no change to be undone itself.
  var isUndoing = false
  /// What records changes; nil while nothing can be undone.
  var undoRecorder: UndoRecorder?
  /// Whether a save writes, so that what the code changes is noted which it runs.
  var notesLateChanges = false
  /// What that code changed; nil while it has changed nothing.
  var lateChanges: LateChanges?
  /// The rows that the save is writing; nil between two batches.
  var rowSession: WriteSession?
  package let autosave = AutosaveSchedule()
  /// What others saved and the context does not know yet.
  package let inbox = ChangeInbox()
  /// The stores that put something there.
  var subscriptions: [StoreCoordinator] = []
  /// Whether models are being brought up to date, which their observers must not begin anew.
  var isReceiving = false
  /// Where the jobs of actor models run.
  package var knownExecutor: ForwardingExecutor?
  /// How far this context knows what was done to each store, its own commits included.
  var reaches: [(store: StoreCoordinator, reach: StoreReach)] = []
  /// How many rows saves have compared since the context last knew everything.
  var comparedRows = 0
  /// The changes of the entity that was last asked for: models are inserted and changed in series.
  @exclusivity(unchecked) var lastChanges: (type: ObjectIdentifier, changes: EntityChanges)?
  @exclusivity(unchecked) var lastLookup: (entity: ObjectIdentifier, map: IdentityMap)?

  /// What a save does about rows that were changed elsewhere since they were read here: by default it merges them property
  /// by property, and of a property that both changed it keeps the value of this context.
  public var conflictPolicy = ConflictPolicy.mergeByProperty(keeping: .ours)

  /// What the last save that met changes of others had to decide by ``conflictPolicy``; empty after any other.
  public internal(set) var resolvedConflicts: [SaveConflict] = []

  /// Who makes the changes, for the history of the store.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// The identity of the context's edits, which stores are given with every request.
  public var editingState: EditingState {
    get {
      if let storedEditingState { return storedEditingState }
      let state = EditingState()
      storedEditingState = state
      return state
    }
    set { storedEditingState = newValue }
  }

  /// Made on demand: its identity comes from the system's random numbers, and most contexts are never asked.
  private var storedEditingState: EditingState?

  /// Whether changes are saved without a call of ``save()``: half a second after a change, when the context goes, and when
  /// the container is closed.
  ///
  /// The main context saves on the main actor and that of a model actor on the actor's executor, without another
  /// operation. Of a context that is used anywhere else nobody knows where its code runs: it saves with its next operation
  /// after that time. A failure is logged, and tried again later. An autosave does without what was refused, which the
  /// next ``save()`` throws.
  ///
  /// False for a context that is made by hand, true for the main context.
  public var autosaveEnabled = false {
    didSet {
      guard autosaveEnabled else { return autosave.cancel() }
      if hasChanges { scheduleAutosave() }
    }
  }

  /// Makes a context of stores. One without a home is for objects whose own context is gone.
  ///
  /// - Parameters:
  ///   - ownedHome: What the context is made of and keeps alive.
  ///   - owningHome: What owns the context, as its main context.
  package init(stores: ContainerStores, ownedHome: AnyObject? = nil, owningHome: AnyObject? = nil) {
    self.stores = stores
    self.ownedHome = ownedHome
    self.owningHome = owningHome
    self.isMain = owningHome != nil
  }

  deinit {
    if autosaveEnabled { saveOnClosing() }
    // Who closes the stores waits for that save.
    if autosave.isListed { stores.autosavingContexts.remove(ObjectIdentifier(autosave)) }
    if autosave.isWatched { EndOfProcess.shared.forget(autosave.mark) }
    // After the save, which counts the context among those that know of it.
    for store in subscriptions { store.subscribers.remove(inbox) }
    // Those first whose objects hold lists: what is in these goes with them, and need not be looked at one by one.
    let all = entityChanges.values.sorted { $0.map.entity.holdsLists && !$1.map.entity.holdsLists }
    // All before the first lets go of its objects: what observers then ask for must not lead back here.
    for changes in all { changes.closeContext() }
    for changes in all { changes.close() }
    transactionSnapshot?.abandon()
  }

  /// What the context was made of; nil where that is gone, or was never there.
  package var home: AnyObject? { ownedHome ?? owningHome }

  var logger: Logger { stores.logger }

  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool {
    lhs === rhs
  }
}

@available(
  *, unavailable,
  message: "contexts cannot be shared across concurrency contexts; send the container and make a context there"
)
extension ModelContext: @unchecked Sendable {}

/// How many objects wait for the next save.
package struct PendingCounts {
  var inserted = 0
  var changed = 0
  var deleted = 0
  /// Rows without objects that wait to be deleted.
  var batchDeletedKeys = 0

  package var isEmpty: Bool { inserted == 0 && changed == 0 && deleted == 0 && batchDeletedKeys == 0 }
}

extension PendingCounts: CustomStringConvertible {
  package var description: String { "\(inserted) inserted, \(changed) changed, \(deleted + batchDeletedKeys) deleted" }
}
