import PersistenceCore
import SwiftData

struct BatchingConfiguration: DataStoreConfiguration {
  typealias Store = BatchingStore
  var name = "batching"
  var schema: Schema?
  let script: StoreScript

  init(_ script: StoreScript) { self.script = script }
}

/// A store in memory that also supports deletion by predicate. If the script has a `refusal`, a deletion throws it.
final class BatchingStore: DataStore, DataStoreBatching {
  typealias Configuration = BatchingConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: BatchingConfiguration
  private let inner: MemoryStore
  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  init(_ configuration: BatchingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    let own = MemoryConfiguration(configuration.script, name: configuration.name, schema: configuration.schema)
    inner = try MemoryStore(own, migrationPlan: migrationPlan)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try inner.fetch(request) }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try inner.save(request) }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try inner.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let descriptor = FetchDescriptor<T>(predicate: request.predicate)
    let found = try inner.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: request.editingState))
    try configuration.script.with { state in
      state.calls.append("delete \(T.self)")
      if let refusal = state.refusal { throw refusal }
      let gone = Set(
        found.fetchedSnapshots.map(\.persistentIdentifier).filter {
          request.includeSubclasses || $0.entityName == String(describing: T.self)
        })
      state.rows.removeAll { gone.contains($0.persistentIdentifier) }
    }
  }
}
