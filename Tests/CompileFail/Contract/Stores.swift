import Foundation
import SwiftData

// MARK: 9 Data stores

func configurations<C: DataStoreConfiguration>(_ configuration: inout C, _ schema: Schema) throws {
  let _: any DataStoreConfiguration = configuration  // use: DataStoreConfiguration
  let _: any Hashable.Type = C.self  // use: DataStoreConfiguration: Hashable
  let _: any DataStore.Type = C.Store.self  // use: DataStoreConfiguration.Store
  let _: String = configuration.name  // use: DataStoreConfiguration.name
  configuration.schema = schema as Schema?  // use: DataStoreConfiguration.schema
  try configuration.validate()  // use: DataStoreConfiguration.validate()
}

// use: DataStore
// use: DataStore.Configuration
// use: DataStore.Snapshot
// use: DataStore.init(_:migrationPlan:)
// use: DataStore.identifier
// use: DataStore.schema
// use: DataStore.configuration
// use: DataStore.fetch(_:)
// use: DataStore.save(_:)
// use: DataStoreBatching
// use: DataStoreBatching.delete(_:)
struct OwnConfiguration: DataStoreConfiguration {
  typealias Store = OwnStore
  var name: String
  var schema: Schema?
}
final class OwnStore: DataStore, DataStoreBatching {
  typealias Configuration = OwnConfiguration
  typealias Snapshot = DefaultSnapshot
  let identifier: String
  let schema: Schema
  let configuration: OwnConfiguration
  init(_ configuration: OwnConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    identifier = configuration.name
    schema = configuration.schema ?? Schema()
  }
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    throw DataStoreError.unsupportedFeature
  }
  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    throw DataStoreError.unsupportedFeature
  }
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {}
}

// Requirements of `DataStore` that have default implementations.
func defaults<S: DataStore>(_ store: S, _ request: DataStoreFetchRequest<Trip>, _ state: EditingState) throws {
  let _: Int = try store.fetchCount(request)  // use: DataStore.fetchCount(_:)
  let _: [PersistentIdentifier] = try store.fetchIdentifiers(request)  // use: DataStore.fetchIdentifiers(_:)
  try store.erase()  // use: DataStore.erase()
  store.initializeState(for: state)  // use: DataStore.initializeState(for:)
  store.invalidateState(for: state)  // use: DataStore.invalidateState(for:)
}

// use: DataStore.cachedSnapshots(for:editingState:)
func cached<S: DataStore>(_ store: S, _ state: EditingState) throws -> [PersistentIdentifier: S.Snapshot] {
  try store.cachedSnapshots(for: [], editingState: state)
}

func errors(_ error: DataStoreError) {
  let _: any Error.Type = DataStoreError.self  // use: DataStoreError: Error
  let _: any Equatable.Type = DataStoreError.self  // use: DataStoreError: Equatable
  let _: any Hashable.Type = DataStoreError.self  // use: DataStoreError: Hashable
  let _: DataStoreError = .unsupportedFeature  // use: DataStoreError.unsupportedFeature
  let _: DataStoreError = .preferInMemoryFilter  // use: DataStoreError.preferInMemoryFilter
  let _: DataStoreError = .preferInMemorySort  // use: DataStoreError.preferInMemorySort
  let _: DataStoreError = .invalidPredicate  // use: DataStoreError.invalidPredicate
}

// MARK: 9.1 Snapshots

func value(_ value: any DataStoreSnapshotValue) -> any Codable & Sendable { value }  // use: DataStoreSnapshotValue

// use: DataStoreSnapshot
// use: DataStoreSnapshot.persistentIdentifier
// use: DataStoreSnapshot.init(from:relatedBackingDatas:)
// use: DataStoreSnapshot.copy(persistentIdentifier:remappedIdentifiers:)
struct OwnSnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    guard let identifier = backingData.persistentModelID else { preconditionFailure("a model has an identifier") }
    persistentIdentifier = identifier
  }
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> OwnSnapshot { self }
}

func snapshots<S: DataStoreSnapshot>(_ type: S.Type) {
  let _: any Decodable.Type = S.self  // use: DataStoreSnapshot: Decodable
  let _: any Encodable.Type = S.self  // use: DataStoreSnapshot: Encodable
  let _: any Sendable.Type = S.self  // use: DataStoreSnapshot: Sendable
  let _: any CodingKey.Type = DataStoreSnapshotCodingKey.self  // use: DataStoreSnapshotCodingKey: CodingKey
  let _: DataStoreSnapshotCodingKey = .persistentIdentifier  // use: DataStoreSnapshotCodingKey.persistentIdentifier
  let _: DataStoreSnapshotCodingKey = .modeledProperty("a")  // use: DataStoreSnapshotCodingKey.modeledProperty(_:)
}

func snapshots(_ snapshot: DefaultSnapshot, _ decoder: any Decoder, _ encoder: any Encoder) throws {
  let _: any DataStoreSnapshot = snapshot as DefaultSnapshot  // use: DefaultSnapshot: DataStoreSnapshot
  let _: PersistentIdentifier = snapshot.persistentIdentifier  // use: DefaultSnapshot.persistentIdentifier
  let _: DefaultSnapshot = try DefaultSnapshot(from: decoder)  // use: DefaultSnapshot.init(from:)
  try snapshot.encode(to: encoder)  // use: DefaultSnapshot.encode(to:)
}

// use: DefaultSnapshot.init(from:relatedBackingDatas:)
func snapshot(
  _ data: any BackingData, _ related: inout [PersistentIdentifier: any BackingData]
) -> DefaultSnapshot {
  DefaultSnapshot(from: data, relatedBackingDatas: &related)
}

// use: DefaultSnapshot.copy(persistentIdentifier:remappedIdentifiers:)
func copy(_ snapshot: DefaultSnapshot, _ identifier: PersistentIdentifier) -> DefaultSnapshot {
  snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: [identifier: identifier])
}

// MARK: 9.2 Requests and results

func requests(_ request: DataStoreFetchRequest<Trip>) {
  let _: any Sendable.Type = DataStoreFetchRequest<Trip>.self  // use: DataStoreFetchRequest: Sendable
  let _: EditingState = request.editingState  // use: DataStoreFetchRequest.editingState
  let _: FetchDescriptor<Trip> = request.descriptor  // use: DataStoreFetchRequest.descriptor
}

func results(_ result: DataStoreFetchResult<Trip, DefaultSnapshot>) {
  let _: any Sendable.Type = DataStoreFetchResult<Trip, DefaultSnapshot>.self  // use: DataStoreFetchResult: Sendable
  let _: FetchDescriptor<Trip> = result.descriptor  // use: DataStoreFetchResult.descriptor
  let _: [DefaultSnapshot] = result.fetchedSnapshots  // use: DataStoreFetchResult.fetchedSnapshots
  // use: DataStoreFetchResult.relatedSnapshots
  let _: [PersistentIdentifier: DefaultSnapshot] = result.relatedSnapshots
}

// use: DataStoreFetchResult.init(descriptor:fetchedSnapshots:relatedSnapshots:)
func result(
  _ descriptor: FetchDescriptor<Trip>, _ one: DefaultSnapshot
) -> DataStoreFetchResult<Trip, DefaultSnapshot> {
  DataStoreFetchResult(
    descriptor: descriptor, fetchedSnapshots: [one], relatedSnapshots: [one.persistentIdentifier: one])
}

func requests(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
  // use: DataStoreSaveChangesRequest: Sendable
  let _: any Sendable.Type = DataStoreSaveChangesRequest<DefaultSnapshot>.self
  let _: [DefaultSnapshot] = request.inserted  // use: DataStoreSaveChangesRequest.inserted
  let _: [DefaultSnapshot] = request.updated  // use: DataStoreSaveChangesRequest.updated
  let _: [DefaultSnapshot] = request.deleted  // use: DataStoreSaveChangesRequest.deleted
  let _: EditingState = request.editingState  // use: DataStoreSaveChangesRequest.editingState
}

func results(_ result: DataStoreSaveChangesResult<DefaultSnapshot>) {
  // use: DataStoreSaveChangesResult: Sendable
  let _: any Sendable.Type = DataStoreSaveChangesResult<DefaultSnapshot>.self
  // use: DataStoreSaveChangesResult.remappedIdentifiers
  let _: [PersistentIdentifier: PersistentIdentifier] = result.remappedIdentifiers
  let _: String = result.storeIdentifier  // use: DataStoreSaveChangesResult.storeIdentifier
  // use: DataStoreSaveChangesResult.snapshotsToReregister
  let _: [PersistentIdentifier: DefaultSnapshot] = result.snapshotsToReregister
  let _: (any HistoryToken)? = result.historyToken  // use: DataStoreSaveChangesResult.historyToken
}

// use: DataStoreSaveChangesResult.init(for:remappedIdentifiers:snapshotsToReregister:)
func result(_ one: DefaultSnapshot) -> DataStoreSaveChangesResult<DefaultSnapshot> {
  DataStoreSaveChangesResult(
    for: "store", remappedIdentifiers: [one.persistentIdentifier: one.persistentIdentifier],
    snapshotsToReregister: [one.persistentIdentifier: one])
}

func requests(_ request: DataStoreBatchDeleteRequest<Trip>) {
  let _: any Sendable.Type = DataStoreBatchDeleteRequest<Trip>.self  // use: DataStoreBatchDeleteRequest: Sendable
  let _: EditingState = request.editingState  // use: DataStoreBatchDeleteRequest.editingState
  let _: Predicate<Trip>? = request.predicate  // use: DataStoreBatchDeleteRequest.predicate
  let _: Bool = request.includeSubclasses  // use: DataStoreBatchDeleteRequest.includeSubclasses
}

func states(_ state: inout EditingState) {
  let _: any Identifiable.Type = EditingState.self  // use: EditingState: Identifiable
  let _: any Sendable.Type = EditingState.self  // use: EditingState: Sendable
  let _: UUID.Type = EditingState.ID.self  // use: EditingState.ID
  let _: UUID = state.id  // use: EditingState.id
  state.author = "a" as String?  // use: EditingState.author
}

// MARK: 9.3 DefaultStore

func store(_ store: DefaultStore, _ state: EditingState, _ request: DataStoreFetchRequest<Trip>) throws {
  let _: any DataStore = store as DefaultStore  // use: DefaultStore: DataStore
  let _: any DataStoreBatching = store as DefaultStore  // use: DefaultStore: DataStoreBatching
  let _: any HistoryProviding = store as DefaultStore  // use: DefaultStore: HistoryProviding
  let _: ModelConfiguration.Type = DefaultStore.Configuration.self  // use: DefaultStore.Configuration
  let _: DefaultSnapshot.Type = DefaultStore.Snapshot.self  // use: DefaultStore.Snapshot
  let _: DefaultHistoryTransaction.Type = DefaultStore.HistoryType.self  // use: DefaultStore.HistoryType
  let _: DefaultHistoryToken.Type = DefaultStore.TokenType.self  // use: DefaultStore.TokenType
  let _: String = store.name  // use: DefaultStore.name
  let _: Schema = store.schema  // use: DefaultStore.schema
  let _: String = store.identifier  // use: DefaultStore.identifier
  let _: ModelConfiguration = store.configuration  // use: DefaultStore.configuration
  let _: DataStoreFetchResult<Trip, DefaultSnapshot> = try store.fetch(request)  // use: DefaultStore.fetch(_:)
  let _: Int = try store.fetchCount(request)  // use: DefaultStore.fetchCount(_:)
  let _: [PersistentIdentifier] = try store.fetchIdentifiers(request)  // use: DefaultStore.fetchIdentifiers(_:)
  try store.erase()  // use: DefaultStore.erase()
  store.initializeState(for: state)  // use: DefaultStore.initializeState(for:)
  store.invalidateState(for: state)  // use: DefaultStore.invalidateState(for:)
  let _: DefaultHistoryTransaction.Type = DefaultStore.historyType  // use: DefaultStore.historyType
}

// use: DefaultStore.init(_:migrationPlan:)
func store(_ configuration: ModelConfiguration) throws -> DefaultStore {
  try DefaultStore(configuration, migrationPlan: TripsPlan.self)
}

// use: DefaultStore.save(_:)
func save(
  _ store: DefaultStore, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
  try store.save(request)
}

// use: DefaultStore.delete(_:)
func delete(_ store: DefaultStore, _ request: DataStoreBatchDeleteRequest<Trip>) throws { try store.delete(request) }

// use: DefaultStore.cachedSnapshots(for:editingState:)
func cached(_ store: DefaultStore, _ state: EditingState) throws -> [PersistentIdentifier: DefaultSnapshot] {
  try store.cachedSnapshots(for: [], editingState: state)
}

// use: DefaultStore.fetchHistory(_:)
func history(_ store: DefaultStore) throws -> [DefaultHistoryTransaction] {
  try store.fetchHistory(HistoryDescriptor())
}

// use: DefaultStore.deleteHistory(_:)
func deleteHistory(_ store: DefaultStore) throws { try store.deleteHistory(HistoryDescriptor()) }
