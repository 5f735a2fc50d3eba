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
    entities.flatMap { changes in
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      return Self.keys(of: list(changes), as: changes.map.entity.modelType).map {
        PersistentIdentifier(row: $0, of: entity)
      }
    }
  }
}
