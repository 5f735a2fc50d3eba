import SwiftData

/// A store that keeps each entity in a JSON file, which people and other programs can read and change.
///
/// It consists of one class, its configuration, and the files: copy it as the beginning of a store of your own. The
/// context does what the store does not do itself: the store evaluates no predicates, sorts nothing and keeps no
/// history. The context calls it on one thread at a time.
public final class JSONStore: DataStore {
  public typealias Configuration = JSONStoreConfiguration
  /// The library's snapshots, which have every value with its type and are Codable.
  public typealias Snapshot = DefaultSnapshot

  public let configuration: JSONStoreConfiguration
  public let schema: Schema
  /// It is stored beside the files, so that it stays the same when the folder is moved: all identifiers contain it.
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

  /// Returns all models of the entity and of its subentities.
  ///
  /// For a fetch with a predicate or an order, it requests the fetch without them, and the context filters and sorts.
  /// Only a fetch without both has a window that can be applied here.
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

  /// Returns models that the context refers to and has not read yet. Without this, the context would fetch whole
  /// entities.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (entity, identifiers) in Dictionary(grouping: persistentIdentifiers, by: \.entityName) {
      // Once for all of them, because it checks whether the file has changed.
      let table = try files.table(of: entity)
      for identifier in identifiers { found[identifier] = table[identifier] }
    }
    return found
  }

  /// The names of an entity and of its subentities.
  private func names<T: PersistentModel>(of type: T.Type) -> [String] {
    func names(_ entity: Schema.Entity) -> [String] {
      [entity.name] + entity.subentities.sorted { $0.name < $1.name }.flatMap(names)
    }
    return schema.entity(for: type).map(names) ?? []
  }

  // MARK: Writing

  /// Writes one save.
  ///
  /// New models have temporary identifiers, and each gets a permanent one. Other models of the save may refer to it by
  /// the temporary one, so inserted and updated snapshots are copied with the new identifiers. A model whose deletion
  /// was undone has its former identifier, and keeps it.
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
