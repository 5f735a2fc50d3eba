import Foundation
import PersistenceRuntime

extension ModelContext {
  /// Posted before a save, without further information.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// Posted after a save that succeeded, with the identifiers of what it changed.
  ///
  /// The values are arrays of ``PersistentIdentifier``. Each is found by three keys: the raw value of its
  /// ``NotificationKey``, the constant itself, and the short name that programs have seen, such as `"inserted"`.
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
    let deleted = identifiers(\.deleted) + batchDeletedIdentifiers
    let replacing = updated(replaced, besides: inserted, without: deleted)
    // Made of a dictionary that has the keys, so that none of the nine has to be hashed with every save.
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

  /// Every key by which programs look for identifiers.
  ///
  /// Unsafe only because `AnyHashable` is not Sendable: the keys are texts and constants of an enum, and never change.
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

  /// What was changed, and the rows that took the values of new models, each once.
  private func updated(
    _ replaced: [PersistentIdentifier], besides inserted: [PersistentIdentifier],
    without deleted: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let changed = changed(without: deleted)
    guard !replaced.isEmpty else { return changed }
    var known = Set(inserted + changed)
    return changed + replaced.filter { known.insert($0).inserted }
  }

  /// What was changed. Of a row with several objects one may be changed and another deleted, or both changed.
  private func changed(without deleted: [PersistentIdentifier]) -> [PersistentIdentifier] {
    let changed = identifiers(\.changed)
    guard !changed.isEmpty, entities.contains(where: { !$0.map.seconds.isEmpty }) else { return changed }
    var known = Set(deleted)
    return changed.filter { known.insert($0).inserted }
  }

  private var batchDeletedIdentifiers: [PersistentIdentifier] {
    entities.flatMap { changes in
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      return changes.batchDeletedKeys.map { PersistentIdentifier(row: $0, of: entity) }
    }
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
      // Code deleted it before there was a row.
      guard key != 0 else { continue }
      identifiers.append(PersistentIdentifier(row: key, of: entity))
    }
  }
}
