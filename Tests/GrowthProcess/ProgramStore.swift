import SwiftData

/// The rows of a custom store: a table of snapshots in memory. The work of a request is proportional to its rows.
final class ProgramRows: Hashable, @unchecked Sendable {
  // Unchecked: only one thread at a time uses the rows.
  fileprivate var rows: [String: [PersistentIdentifier: (number: Int, snapshot: DefaultSnapshot)]] = [:]
  fileprivate var count = 0

  static func == (one: ProgramRows, other: ProgramRows) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Opens a new container on the rows. The container has read none of them.
  func open() throws -> ModelContainer {
    let models: [any PersistentModel.Type] = [Item.self, Shelf.self, Book.self, Tag.self]
    return try ModelContainer(for: Schema(models), configurations: [ProgramConfiguration(rows: self)])
  }
}

struct ProgramConfiguration: DataStoreConfiguration {
  typealias Store = ProgramStore
  var name = "program"
  var schema: Schema?
  let rows: ProgramRows

  init(rows: ProgramRows) { self.rows = rows }
}

final class ProgramStore: DataStore {
  typealias Configuration = ProgramConfiguration
  typealias Snapshot = DefaultSnapshot

  let identifier = "program"
  let schema: Schema
  let configuration: ProgramConfiguration
  private var table: ProgramRows { configuration.rows }

  init(_ configuration: ProgramConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = table.rows[Schema.entityName(for: T.self)]?.values.sorted { $0.number < $1.number } ?? []
    let rest = found.dropFirst(request.descriptor.fetchOffset ?? 0)
    let window = request.descriptor.fetchLimit.map { rest.prefix($0) } ?? rest
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: window.map(\.snapshot))
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    persistentIdentifiers.reduce(into: [:]) { found, identifier in
      found[identifier] = table.rows[identifier.entityName]?[identifier]?.snapshot
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      table.count += 1
      remapped[temporary] = try .identifier(
        for: identifier, entityName: temporary.entityName, primaryKey: "\(table.count)")
    }
    for snapshot in request.inserted + request.updated {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      let number = table.rows[identifier.entityName]?[identifier]?.number ?? Int(table.count)
      table.rows[identifier.entityName, default: [:]][identifier] = (
        number, snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped)
      )
    }
    for snapshot in request.deleted {
      table.rows[snapshot.persistentIdentifier.entityName]?[snapshot.persistentIdentifier] = nil
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}
