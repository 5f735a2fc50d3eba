import SwiftData

/// A store that keeps each entity in a JSON file, which people and other programs can read and change.
///
/// It is one class, its configuration, and the files: copy it as the beginning of a store of your own. What it does not do
/// itself, the context does: it evaluates no predicates, makes no orders and keeps no history. The context calls it on one
/// thread at a time.
public final class JSONStore: DataStore {
  public typealias Configuration = JSONStoreConfiguration
  /// The snapshots of the library, which have every value with its type, and are Codable.
  public typealias Snapshot = DefaultSnapshot

  public let configuration: JSONStoreConfiguration
  public let schema: Schema
  /// It is kept beside the files, so that it stays the same when the folder is moved: all identifiers have it.
  public let identifier: String
  private let files: EntityFiles

  public init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    // The container has set it.
    schema = configuration.schema ?? Schema()
    files = EntityFiles(in: configuration.folder)
    identifier = try files.storeIdentifier()
  }

  // MARK: Reading

  /// Returns all models of the entity and of those that inherit from it.
  ///
  /// For a fetch with a predicate or an order it asks to be asked again without: the context then filters and sorts. Only a
  /// fetch without both has a window that can be applied here.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let descriptor = request.descriptor
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let snapshots = try names(of: T.self).flatMap { try files.table(of: $0).snapshots }
    let rest = snapshots.dropFirst(descriptor.fetchOffset ?? 0)
    let window = descriptor.fetchLimit.map { rest.prefix($0) } ?? rest
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: Array(window))
  }

  /// Returns what the context has references to and has not read yet. Without this it would fetch whole entities.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (entity, identifiers) in Dictionary(grouping: persistentIdentifiers, by: \.entityName) {
      // Once for all of them: it looks whether the file has changed.
      let table = try files.table(of: entity)
      for identifier in identifiers { found[identifier] = table[identifier] }
    }
    return found
  }

  /// The names of an entity and of those that inherit from it.
  private func names<T: PersistentModel>(of type: T.Type) -> [String] {
    func names(_ entity: Schema.Entity) -> [String] {
      [entity.name] + entity.subentities.sorted { $0.name < $1.name }.flatMap(names)
    }
    return schema.entity(for: type).map(names) ?? []
  }

  // MARK: Writing

  /// Writes one save.
  ///
  /// New models come with temporary identifiers. Each gets one of its own; and since other models of the save refer to it by
  /// the temporary one, inserted and updated snapshots are copied with what became of all of them. A model whose deletion was
  /// undone comes with the identifier that it had, and keeps it.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      let isNew = temporary.storeIdentifier == nil
      remapped[temporary] =
        isNew ? try .identifier(for: identifier, entityName: temporary.entityName, primaryKey: UUID()) : temporary
    }
    var change = files.beginChange()
    for snapshot in request.inserted {
      let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      try change.insert(snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped))
    }
    for snapshot in request.updated {
      let same = snapshot.persistentIdentifier
      try change.update(snapshot.copy(persistentIdentifier: same, remappedIdentifiers: remapped))
    }
    try change.delete(request.deleted.map(\.persistentIdentifier))
    try files.commit(change)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  /// Deletes the files of all entities.
  public func erase() throws {
    try files.erase(schema.entities.map(\.name))
  }
}
