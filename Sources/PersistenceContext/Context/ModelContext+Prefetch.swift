import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Reads relationships of fetched models, with one query for each relationship of a key path.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` if a key path does not end in a relationship.
  package func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T], in map: IdentityMap) throws
  {
    for keyPath in keyPaths {
      guard let path = map.valuePath(of: keyPath), case .relationship(let last) = path.column else {
        throw SwiftDataError(
          .unsupportedKeyPath,
          "relationshipKeyPathsForPrefetching of a fetch of \(map.entity.name) has a key path to a "
            + "\(type(of: keyPath).valueType), which is no relationship. List relationships; properties come along.")
      }
      var (objects, map) = (models.map { $0 as AnyObject }, map)
      for position in path.steps.map(\.position) {
        guard !objects.isEmpty, let relationship = map.entity.relationship(at: position) else { break }
        objects = try load(relationship, of: objects, in: map, returningMembers: true)
        guard let next = identityMap(for: relationship.destinationType) else { break }
        map = next
      }
      guard !objects.isEmpty, let relationship = map.entity.relationship(at: last) else { continue }
      _ = try load(relationship, of: objects, in: map, returningMembers: false)
    }
  }

  /// Reads one relationship of all given objects.
  ///
  /// - Returns: The related objects without duplicates if `returningMembers` is true; otherwise an empty array.
  private func load(
    _ relationship: RelationshipLayout, of objects: [AnyObject], in map: IdentityMap, returningMembers: Bool
  ) throws -> [AnyObject] {
    func load<T: PersistentModel>(_ type: T.Type) throws -> [AnyObject] {
      let models = objects.map { unsafeDowncast($0, to: T.self) }
      try self.load(relationship, of: models, in: map)
      guard returningMembers else { return [] }
      var seen: Set<ObjectIdentifier> = []
      return models.flatMap { $0._$edit(.read, at: relationship.position).objects }.filter {
        seen.insert(ObjectIdentifier($0)).inserted
      }
    }
    return try load(map.modelType)
  }

  private func load<T: PersistentModel>(
    _ relationship: RelationshipLayout, of models: [T], in map: IdentityMap
  ) throws {
    if relationship.storage == .column {
      let models = models.filter { !$0.isDeleted }
      try makeReferences(relationship, of: models, in: map)
      return try fulfill(relationship, of: models)
    }
    let waiting = models.filter { model in
      model._$state.pointee.primaryKey != 0 && !model.isDeleted
        && !model._$edit(.find, at: relationship.position).isLoaded
    }
    guard !waiting.isEmpty else { return }
    let isComplete = waiting.first?._$state.pointee.group?.isComplete(with: waiting.count) ?? false
    try map.store.loadMembers(relationship, of: ContiguousArray(waiting), in: map, isComplete: isComplete, as: T.self)
  }

  /// Creates the related objects if their class can only be instantiated from a row. One query reads all their rows.
  private func makeReferences<T: PersistentModel>(
    _ relationship: RelationshipLayout, of models: [T], in map: IdentityMap
  ) throws {
    guard let destination = identityMap(for: relationship.destinationType), destination.entity.isMadeOfItsRow else {
      return
    }
    let waiting = models.filter {
      $0._$state.pointee.primaryKey != 0 && !$0._$edit(.find, at: relationship.position).isLoaded
    }
    guard !waiting.isEmpty else { return }
    let owners = waiting.map { $0._$state.pointee.primaryKey }
    let transaction = openTransaction(of: map.store)
    let pairs = try map.store.engine.pairs(of: relationship, in: map.entity, owners: owners, transaction: transaction)
    let objects = try map.store.objects(
      FetchRequest(entity: destination.entity, selection: .keys(Array(Set(pairs.map(\.target))))), in: destination)
    let references = FetchRequest(
      entity: map.entity, selection: .keys(owners), mask: PropertyMask.bit(relationship.position))
    try withExtendedLifetime(objects) { _ = try map.store.objects(references, in: map) }
  }

  /// Reads the target rows of a to-one relationship. Each query reads the targets of many objects of one fetch.
  private func fulfill<T: PersistentModel>(_ relationship: RelationshipLayout, of models: [T]) throws {
    for model in models {
      guard let object = model._$edit(.read, at: relationship.position).objects.first else { continue }
      let related = EntityLayout.model(object, as: relationship.destinationType)
      if related._$state.pointee.flags.contains(.fault), let failure = related._$fulfill() { throw failure }
    }
  }
}
