import Foundation
import PersistenceRuntime

extension ModelContext {
  /// Posted before a save, without user info, on the thread of the save. Apple's.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// Posted after a successful save, on the thread of the save. Apple's.
  ///
  /// The user info has arrays of ``PersistentIdentifier`` for inserted, updated and deleted models. Each array has
  /// three keys: the raw value of its ``NotificationKey``, the case itself, and a short name such as `"inserted"`.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``. Apple's.
  public enum NotificationKey: String {
    /// Not used here.
    case queryGeneration
    /// Not used here.
    case invalidatedAllIdentifiers
    /// The identifiers of inserted models.
    case insertedIdentifiers
    /// The identifiers of changed models.
    case updatedIdentifiers
    /// The identifiers of deleted models.
    case deletedIdentifiers
  }
}

extension SavedChanges {
  /// The user info of ``ModelContext/didSave``.
  var userInfo: [AnyHashable: Any] {
    let inserted = identifiers { changes in
      upserts.isEmpty ? changes.inserted : changes.inserted.filter { !upserts.contains($0) }
    }
    let replaced = identifiers { changes in upserts.isEmpty ? [] : changes.inserted.filter(upserts.contains) }
    let deleted = identifiers(\.deleted) + entities.flatMap { affected.batchDeleted.identifiers(of: $0) }
    let replacing = updated(replaced, besides: inserted, without: deleted)
    // Mapped from a static dictionary, so that a save hashes none of the nine keys.
    return Self.notificationKeys.mapValues { change -> Any in
      switch change {
      case .inserted: inserted
      case .updated: replacing
      case .deleted: deleted
      }
    }
  }

  private enum Change: Sendable {
    case inserted, updated, deleted
  }

  /// The keys of each array.
  ///
  /// `nonisolated(unsafe)` because `AnyHashable` is not Sendable. The keys are constant strings and enum cases.
  private nonisolated(unsafe) static let notificationKeys: [AnyHashable: Change] = [
    ModelContext.NotificationKey.insertedIdentifiers.rawValue: .inserted,
    ModelContext.NotificationKey.insertedIdentifiers: .inserted,
    "inserted": .inserted,
    ModelContext.NotificationKey.updatedIdentifiers.rawValue: .updated,
    ModelContext.NotificationKey.updatedIdentifiers: .updated,
    "updated": .updated,
    ModelContext.NotificationKey.deletedIdentifiers.rawValue: .deleted,
    ModelContext.NotificationKey.deletedIdentifiers: .deleted,
    "deleted": .deleted,
  ]

  /// The changed rows and the rows that upserts updated, each once.
  private func updated(
    _ replaced: [PersistentIdentifier], besides inserted: [PersistentIdentifier],
    without deleted: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let changed = changed(without: deleted)
    guard !replaced.isEmpty else { return changed }
    var known = Set(inserted + changed)
    return changed + replaced.filter { known.insert($0).inserted }
  }

  /// The changed rows, each once: a row with several objects may be listed several times, or be deleted as well.
  private func changed(without deleted: [PersistentIdentifier]) -> [PersistentIdentifier] {
    let changed = identifiers(\.changed)
    guard !changed.isEmpty, entities.contains(where: { !$0.map.seconds.isEmpty }) else { return changed }
    var known = Set(deleted)
    return changed.filter { known.insert($0).inserted }
  }

  private func identifiers(_ list: (SavedEntity) -> ContiguousArray<AnyObject>) -> [PersistentIdentifier] {
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
      // The object was deleted before it got a row.
      guard key != 0 else { continue }
      identifiers.append(PersistentIdentifier(row: key, of: entity))
    }
  }
}
