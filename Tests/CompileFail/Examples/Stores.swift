// The examples in documentation comments on custom stores, and in the article about them.
import SwiftData

@Model final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

struct ArchiveConfiguration: DataStoreConfiguration {
  typealias Store = Archive
  var name = "archive"
  var schema: Schema?
}

final class Archive: DataStore {
  typealias Configuration = ArchiveConfiguration
  typealias Snapshot = DefaultSnapshot
  let identifier = "archive"
  let schema: Schema
  let configuration: ArchiveConfiguration
  init(_ configuration: ArchiveConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
  }
  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let name = snapshot.persistentIdentifier.entityName
      let permanent = try PersistentIdentifier.identifier(for: identifier, entityName: name, primaryKey: UUID())
      remapped[snapshot.persistentIdentifier] = permanent
      _ = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

func opened() throws -> ModelContainer {
  try ModelContainer(for: Trip.self, configurations: ArchiveConfiguration())
}

func coded(_ snapshot: DefaultSnapshot) throws {
  let data = try JSONEncoder().encode(snapshot)
  let same = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
  print(same.persistentIdentifier)
}

func handedOn(_ request: DataStoreFetchRequest<Trip>, schema: Schema, url: URL) throws {
  let inner = try DefaultStore(ModelConfiguration(schema: schema, url: url))
  let result = try inner.fetch(request)
  print(result.fetchedSnapshots.count)
}
