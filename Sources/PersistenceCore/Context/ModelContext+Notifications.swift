import Foundation

extension ModelContext {
  /// Posted before a save, without further information.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// Posted after a save that succeeded, with the identifiers of what it changed.
  ///
  /// The keys are the raw values of ``NotificationKey``, the values arrays of ``PersistentIdentifier``.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the information that ``didSave`` carries.
  public enum NotificationKey: String {
    case queryGeneration
    case invalidatedAllIdentifiers
    case insertedIdentifiers
    case updatedIdentifiers
    case deletedIdentifiers
  }
}

extension SavedChanges {
  /// What observers of a save are told.
  var userInfo: [AnyHashable: Any] {
    let inserted = identifiers { changes in
      upserts.isEmpty ? changes.inserted : changes.inserted.filter { !upserts.contains($0) }
    }
    let replaced = identifiers { changes in upserts.isEmpty ? [] : changes.inserted.filter(upserts.contains) }
    return [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated(replaced, besides: inserted),
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: identifiers(\.deleted) + sweptIdentifiers,
    ]
  }

  /// What was changed, and the rows that took the values of new models, each once.
  private func updated(
    _ replaced: [PersistentIdentifier], besides inserted: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let changed = identifiers(\.changed)
    guard !replaced.isEmpty else { return changed }
    var known = Set(inserted + changed)
    return changed + replaced.filter { known.insert($0).inserted }
  }

  private var sweptIdentifiers: [PersistentIdentifier] {
    entities.flatMap { changes in
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      return changes.swept.map { PersistentIdentifier(row: $0, of: entity) }
    }
  }

  private func identifiers(_ list: (EntityChanges) -> ContiguousArray<AnyObject>) -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    for changes in entities {
      let objects = list(changes)
      guard !objects.isEmpty else { continue }
      identifiers.reserveCapacity(identifiers.count + objects.count)
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      append(objects, of: entity, to: &identifiers, as: changes.map.entity.modelType)
    }
    return identifiers
  }

  private func append<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, of entity: StoreEntity, to identifiers: inout [PersistentIdentifier],
    as type: T.Type
  ) {
    for object in objects {
      let key = unsafeDowncast(object, to: T.self)._$state.pointee.primaryKey
      identifiers.append(PersistentIdentifier(row: key, of: entity))
    }
  }
}
