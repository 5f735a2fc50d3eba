import PersistenceRuntime
import PersistenceSupport

/// The rules that a custom store has to obey. If a store breaks a rule, the error names it.
struct StoreContract {
  /// The name of the store, for error messages.
  let name: String
  let identifier: String

  func broken(_ rule: String, _ found: String) -> SwiftDataError {
    SwiftDataError(.storeFailure, "The store '\(name)' breaks the rule that \(rule): \(found)")
  }

  /// Checks that a snapshot's identifier names one of the entities and belongs to the store. Returns the entity.
  func check(_ snapshot: PersistentIdentifier, isOneOf entities: [EntityLayout], in place: String) throws
    -> EntityLayout
  {
    guard let entity = entities.first(where: { $0.name == snapshot.entityName }) else {
      let names = entities.map(\.name).joined(separator: ", ")
      throw broken("\(place) has snapshots of \(names) alone", "it has one of \(snapshot.entityName), \(snapshot).")
    }
    try checkOwner(of: snapshot, in: place)
    return entity
  }

  /// Checks that an identifier is permanent and belongs to the store.
  func checkOwner(of identifier: PersistentIdentifier, in place: String) throws {
    guard !identifier.isTemporary else {
      throw broken("\(place) has permanent identifiers", "\(identifier) is the temporary one of a new model.")
    }
    guard identifier.storeIdentifier == self.identifier else {
      throw broken(
        "its identifiers have its own identifier, '\(self.identifier)'",
        "\(place) has \(identifier), of the store '\(identifier.storeIdentifier ?? "")'.")
    }
  }

  /// Checks that no identifier occurs twice.
  func checkUnique(_ identifiers: [PersistentIdentifier], in place: String) throws {
    var known: Set<PersistentIdentifier> = []
    for identifier in identifiers where !known.insert(identifier).inserted {
      throw broken("\(place) has each model once", "\(identifier) is there twice.")
    }
  }

  func wrongType(_ value: Any, of property: PropertyLayout, _ entity: EntityLayout, _ owner: PersistentIdentifier)
    -> SwiftDataError
  {
    broken(
      "a snapshot has each value with the type that the model declares",
      "\(entity.name).\(property.name) of \(owner) is a \(type(of: value)), and has to be a \(property.valueType).")
  }

  func missing(_ property: PropertyLayout, _ entity: EntityLayout, _ owner: PersistentIdentifier) -> SwiftDataError {
    broken(
      "a snapshot has a value for each property that is not optional",
      "\(entity.name).\(property.name) of \(owner) has none.")
  }
}
