import PersistenceCore
import SwiftData

/// The rows and settings of a custom store for tests, and a record of the calls to the store.
final class StoreScript: Hashable, Sendable {
  struct State {
    var rows: [DefaultSnapshot] = []
    var next = 1
    var calls: [String] = []
    var descriptors: [Any] = []
    var saves: [DataStoreSaveChangesRequest<DefaultSnapshot>] = []
    var states: [UUID] = []
    var prefersFilter = false
    var prefersSort = false
    var isCaching = false
    /// Whether a predicate on identifiers finds its models. Otherwise it finds none, as in a store that looks for the
    /// identifiers among the stored values.
    var findsIdentifiers = false
    /// The error that each save throws; nil if saves succeed.
    var refusal: (any Error)?
    var returnsRelated = false
    var failure: (any Error)?
    var schema: Schema?
    var migrationPlan: (any SchemaMigrationPlan.Type)?
    var makesKey: @Sendable (Int) -> any StoreScript.PrimaryKey = { "key-\($0)" }
    /// Changes the results of fetches, so that they violate the contract.
    var change: @Sendable ([DefaultSnapshot]) throws -> [DefaultSnapshot] = { $0 }
    var remap: @Sendable (DataStoreSaveChangesResult<DefaultSnapshot>) -> DataStoreSaveChangesResult<DefaultSnapshot> =
      { $0 }
    /// Returns the identifier of an existing row to which the store maps an inserted model; nil if the model gets a new
    /// row.
    var existing: @Sendable (DefaultSnapshot) -> PersistentIdentifier? = { _ in nil }
    var history: [OwnTransaction] = []
  }

  typealias PrimaryKey = Comparable & CustomStringConvertible & Codable & Hashable

  private let box = StateBox()

  func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result { try box.with(body) }

  var calls: [String] { with(\.calls) }
  var saves: [DataStoreSaveChangesRequest<DefaultSnapshot>] { with(\.saves) }
  func forgetCalls() {
    with { state in
      state.calls = []
      state.saves = []
      state.descriptors = []
    }
  }

  /// The rows of an entity.
  func rows(of entity: String) -> [DefaultSnapshot] {
    with { $0.rows.filter { $0.persistentIdentifier.entityName == entity } }
  }

  static func == (one: StoreScript, other: StoreScript) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  private final class StateBox: @unchecked Sendable {
    // Sendable without checks: the lock protects the state.
    private let lock = NSRecursiveLock()
    private var state = State()

    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      lock.lock()
      defer { lock.unlock() }
      return try body(&state)
    }
  }
}

struct MemoryConfiguration: DataStoreConfiguration {
  typealias Store = MemoryStore
  var name = "memory"
  var schema: Schema?
  let script: StoreScript

  init(_ script: StoreScript, name: String = "memory", schema: Schema? = nil) {
    self.script = script
    self.name = name
    self.schema = schema
  }
}

/// A custom store in memory. It evaluates predicates and sort descriptors itself, unless the settings of its script
/// differ.
final class MemoryStore: DataStore, HistoryProviding {
  typealias Configuration = MemoryConfiguration
  typealias Snapshot = DefaultSnapshot

  let identifier: String
  let schema: Schema
  let configuration: MemoryConfiguration
  var script: StoreScript { configuration.script }

  init(_ configuration: MemoryConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    identifier = "store-\(configuration.name)"
    schema = configuration.schema ?? Schema()
    configuration.script.with { state in
      state.schema = configuration.schema
      state.migrationPlan = migrationPlan
    }
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try script.with { state in
      let descriptor = request.descriptor
      let wanted = state.findsIdentifiers ? descriptor.predicate.flatMap(Self.identifiers) : nil
      state.calls.append(wanted.map { "find \($0.count) of \(T.self)" } ?? "fetch \(T.self)")
      state.descriptors.append(descriptor)
      if let failure = state.failure { throw failure }
      if let wanted {
        let found = state.rows.filter { wanted.contains($0.persistentIdentifier) }
        return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: try state.change(found))
      }
      // Predicates on authors refer to books, so the store leaves them to the library, which evaluates them in memory.
      if state.prefersFilter || T.self == Author.self, descriptor.predicate != nil {
        throw DataStoreError.preferInMemoryFilter
      }
      if state.prefersSort, !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let names = family(schema.entity(for: T.self))
      var rows = state.rows.filter { names.contains($0.persistentIdentifier.entityName) }
      if let predicate = descriptor.predicate { rows = try rows.filter { try Self.matches($0, predicate) } }
      if !descriptor.sortBy.isEmpty { rows = Self.sorted(rows, descriptor.sortBy) }
      rows = Array(rows.dropFirst(descriptor.fetchOffset ?? 0))
      if let limit = descriptor.fetchLimit { rows = Array(rows.prefix(limit)) }
      var related: [PersistentIdentifier: DefaultSnapshot] = [:]
      if state.returnsRelated {
        for row in state.rows where !rows.contains(where: { $0.persistentIdentifier == row.persistentIdentifier }) {
          related[row.persistentIdentifier] = row
        }
      }
      return DataStoreFetchResult(
        descriptor: descriptor, fetchedSnapshots: try state.change(rows), relatedSnapshots: related)
    }
  }

  /// The identifiers in `#Predicate { identifiers.contains($0.persistentModelID) }`; nil for any other predicate.
  private static func identifiers<T: PersistentModel>(in predicate: Predicate<T>) -> Set<PersistentIdentifier>? {
    typealias Own = PredicateExpressions.KeyPath<PredicateExpressions.Variable<T>, PersistentIdentifier>
    typealias Listed = PredicateExpressions.SequenceContains<
      PredicateExpressions.Value<Set<PersistentIdentifier>>, Own
    >
    guard let listed = predicate.expression as? Listed, listed.element.keyPath == \T.persistentModelID else {
      return nil
    }
    return listed.sequence.value
  }

  /// Creates a model with the values of a snapshot, but without its relationships.
  private static func model<T: PersistentModel>(_ snapshot: DefaultSnapshot, _ type: T.Type) -> T {
    let data = KeyPathBackingData<T>(for: type)
    for property in T.schemaMetadata {
      if case .value(let value)? = snapshot.values[property.name] { data.load(value, at: property.keypath) }
    }
    return T(backingData: data)
  }

  private static func matches<T: PersistentModel>(_ snapshot: DefaultSnapshot, _ predicate: Predicate<T>) throws -> Bool
  {
    try predicate.evaluate(model(snapshot, T.self))
  }

  private static func sorted<T: PersistentModel>(
    _ rows: [DefaultSnapshot], _ order: [SortDescriptor<T>]
  ) -> [DefaultSnapshot] {
    rows.map { ($0, model($0, T.self)) }.sorted { one, other in
      for criterion in order {
        switch criterion.compare(one.1, other.1) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return false
    }.map(\.0)
  }

  private func family(_ entity: Schema.Entity?) -> Set<String> {
    guard let entity else { return [] }
    return entity.subentities.reduce(into: [entity.name]) { $0.formUnion(family($1)) }
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    script.with { state in
      state.calls.append("cached \(persistentIdentifiers.count)")
      guard state.isCaching else { return [:] }
      let wanted = Set(persistentIdentifiers)
      let found = state.rows.filter { wanted.contains($0.persistentIdentifier) }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.persistentIdentifier, $0) })
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try script.with { state in
      state.calls.append("save")
      if let failure = state.failure ?? state.refusal { throw failure }
      state.saves.append(request)
      var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        let temporary = snapshot.persistentIdentifier
        remapped[temporary] = try state.existing(snapshot) ?? makeIdentifier(temporary.entityName, &state)
      }
      for snapshot in request.inserted {
        guard let identifier = remapped[snapshot.persistentIdentifier] else { continue }
        state.rows.removeAll { $0.persistentIdentifier == identifier }
        state.rows.append(snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
      }
      for snapshot in request.updated {
        guard let index = state.rows.firstIndex(where: { $0.persistentIdentifier == snapshot.persistentIdentifier })
        else { continue }
        state.rows[index] = snapshot.copy(
          persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remapped)
      }
      let gone = Set(request.deleted.map(\.persistentIdentifier))
      state.rows.removeAll { gone.contains($0.persistentIdentifier) }
      return state.remap(DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped))
    }
  }

  private func makeIdentifier(_ entity: String, _ state: inout StoreScript.State) throws -> PersistentIdentifier {
    defer { state.next += 1 }
    func make(_ key: some StoreScript.PrimaryKey) throws -> PersistentIdentifier {
      try .identifier(for: identifier, entityName: entity, primaryKey: key)
    }
    return try make(state.makesKey(state.next))
  }

  func initializeState(for editingState: EditingState) {
    script.with { state in
      state.calls.append("initialize")
      state.states.append(editingState.id)
    }
  }

  func invalidateState(for editingState: EditingState) {
    script.with { state in
      state.calls.append("invalidate")
      state.states.append(editingState.id)
    }
  }

  // MARK: History

  static var historyType: OwnTransaction.Type { OwnTransaction.self }

  func fetchHistory(_ descriptor: HistoryDescriptor<OwnTransaction>) throws -> [OwnTransaction] {
    try script.with { state in
      try state.history.filter { try descriptor.predicate?.evaluate($0) ?? true }
    }
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<OwnTransaction>) throws {
    script.with { $0.history = [] }
  }
}

/// A transaction in the store's own history format.
struct OwnTransaction: HistoryTransaction {
  typealias TokenType = DefaultHistoryToken
  let id: Int
  var timestamp = Date()
  var changes: [HistoryChange] = []
  var token: DefaultHistoryToken { try! JSONDecoder().decode(DefaultHistoryToken.self, from: Data("{}".utf8)) }
  var transactionIdentifier: Int { id }
  var storeIdentifier = "store"
  var author: String?

  init(id: Int, author: String? = nil) {
    self.id = id
    self.author = author
  }

  static func == (one: Self, other: Self) -> Bool { one.id == other.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A container with a ``MemoryStore``, and the script of the store.
struct StoreLab {
  let script: StoreScript
  let container: ModelContainer
  private let models: [any PersistentModel.Type]

  init(_ models: [any PersistentModel.Type] = libraryModels, _ set: (inout StoreScript.State) -> Void = { _ in }) throws
  {
    try self.init(StoreScript(), models, set)
  }

  private init(
    _ script: StoreScript, _ models: [any PersistentModel.Type], _ set: (inout StoreScript.State) -> Void
  ) throws {
    (self.script, self.models) = (script, models)
    script.with(set)
    container = try ModelContainer(for: Schema(models), configurations: [MemoryConfiguration(script)])
  }

  /// Creates another container on the same store, which has not read any rows.
  func fresh() throws -> StoreLab {
    script.forgetCalls()
    return try StoreLab(script, models) { _ in }
  }

  func context() -> ModelContext { ModelContext(container) }

  /// Saves an author with books, and clears the record of calls.
  func fill(_ titles: [String] = ["Emma", "Persuasion", "Lady Susan"]) throws {
    let context = context()
    let author = Author("Jane Austen")
    context.insert(author)
    author.books = titles.enumerated().map { Book($1, pages: 100 * ($0 + 1)) }
    try context.save()
    script.forgetCalls()
  }
}

extension DefaultSnapshot {
  /// The value of a property, for comparisons in tests.
  func value<Value>(_ name: String, as type: Value.Type = Value.self) -> Value? {
    if case .value(let value)? = values[name] { return value as? Value }
    return nil
  }

  func reference(_ name: String) -> PersistentIdentifier? {
    if case .toOne(let identifier)? = values[name] { return identifier }
    return nil
  }

  func list(_ name: String) -> [PersistentIdentifier]? {
    if case .toMany(let list)? = values[name] { return list }
    return nil
  }

  /// A copy of the snapshot with one value replaced.
  func with(_ name: String, _ value: SnapshotValue) -> DefaultSnapshot {
    var values = values
    values[name] = value
    return DefaultSnapshot(persistentIdentifier, values)
  }

  func with(_ identifier: PersistentIdentifier) -> DefaultSnapshot { DefaultSnapshot(identifier, values) }
}
