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
    [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: identifiers(\.inserted),
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: identifiers(\.changed),
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: identifiers(\.deleted),
    ]
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
    let hasTokens = IdentifierToken.anyResolved
    for object in objects {
      let key = unsafeDowncast(object, to: T.self)._$state.pointee.primaryKey
      identifiers.append(
        hasTokens ? PersistentIdentifier(row: key, of: entity) : PersistentIdentifier(.row(entity, key)))
    }
  }
}
