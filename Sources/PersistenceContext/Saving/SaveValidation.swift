import PersistenceRuntime
import PersistenceSupport

/// Validates the relationships of a save before any row is written.
struct SaveValidation {
  private let changes: SavedChanges
  private let context: ModelContext

  init(_ changes: SavedChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with every violation, or the error of a failed read.
  func run() throws {
    try refuseForeignReferences()
    try context.throwFailedReads(isReported: false)
    var violations = orphans()
    for entity in changes.entities where entity.map.entity.hasRelationships {
      if !entity.source.keepsRelationships { try requireRelationships(of: entity, as: entity.map.entity.modelType) }
      for relationship in entity.map.entity.relationships {
        violations += try check(relationship, entity, as: entity.map.entity.modelType)
      }
    }
    try Self.refuse(violations)
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with all violations, if there are any.
  static func refuse(_ violations: [String]) throws {
    guard let first = violations.first else { return }
    let text = violations.count == 1 ? first : "\(violations.count) violations:\n" + violations.joined(separator: "\n")
    throw SwiftDataError(.modelValidationFailure, text)
  }

  private func refuseForeignReferences() throws {
    guard !context.foreignReferences.isEmpty else { return }
    context.exchange(\.foreignReferences, for: context.foreignReferences.filter { isHeld($0, by: $0.model) })
    guard let reference = context.foreignReferences.first else { return }
    throw SwiftDataError(
      .modelOfAnotherContext,
      "\(reference.relationship.path) holds \(ModelContext.name(reference.related)), which belongs to another "
        + "context; look that model up in this context by its persistentModelID")
  }

  private func isHeld<T: PersistentModel>(_ foreignReference: ForeignReference, by model: T) -> Bool {
    guard model._$state.pointee.identityMap?.context === context, !model.isDeleted else { return false }
    return model._$edit(.read, at: foreignReference.relationship.position).objects.contains {
      $0 === foreignReference.related
    }
  }

  /// Throws if generated code does not keep a relationship of an entity. One object of it tells that, once for each
  /// context.
  ///
  /// `@Model` knows the type of a property by the name that is written. A type alias may give a model the name of a value,
  /// as `Date`, which neither a macro nor the schema can see.
  private func requireRelationships<T: PersistentModel>(of entity: SavedChanges.SavedEntity, as type: T.Type) throws {
    guard let object = entity.inserted.first ?? entity.changed.first else { return }
    let model = unsafeDowncast(object, to: T.self)
    for relationship in entity.map.entity.relationships where T._$isGenerated {
      guard !model._$edit(.find, at: relationship.position).isHandled else { continue }
      throw SwiftDataError(
        .invalidSchema,
        "\(relationship.path): its type \(relationship.destination) is a model, and @Model takes it for a value by the name "
          + "with which it is written, so that neither an inverse nor a list would be kept. Write the name of the model, "
          + "not that of a type alias, or @Relationship before the property.")
    }
    entity.source.keepsRelationships = true
  }

  // MARK: Lost owners

  private func orphans() -> [String] {
    guard !context.orphans.isEmpty else { return [] }
    return context.orphans.all.compactMap { orphan in describe(orphan, orphan.object) }
  }

  private func describe<T: PersistentModel>(_ orphan: Orphan, _ object: T) -> String? {
    let state = object._$state
    guard let map = state.pointee.identityMap, map.context === context, !object.isDeleted,
      let relationship = map.entity.relationship(at: orphan.position),
      object._$relatedObject(at: orphan.position) === orphan.owner
    else { return nil }
    let owner = ModelContext.name(orphan.owner)
    let reason = orphan.owner.isDeleted ? "\(owner) is deleted" : "\(owner) gave it up"
    return "\(relationship.path) of \(ModelContext.name(object)) must have a value, but \(reason); "
      + "set it to another \(relationship.destination), or delete the \(relationship.entity)"
  }

  // MARK: Counts and rules

  private func check<T: PersistentModel>(
    _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, as type: T.Type
  ) throws -> [String] {
    var violations: [String] = []
    if relationship.isRequired || relationship.isCounted {
      violations += try changes.inserted.compactMap {
        try count(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
      let changed: ContiguousArray<AnyObject> = changes.changed.filter {
        isConcerned(unsafeDowncast($0, to: T.self), relationship)
      }
      changes.map.store.prefetchMembers(relationship, of: changed, in: changes.map, as: type)
      violations += try changed.compactMap { try count(unsafeDowncast($0, to: T.self), relationship, changes.map) }
    }
    if relationship.deleteRule == .deny {
      violations += try changes.deleted.compactMap {
        try denial(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
    }
    return violations
  }

  private func isConcerned<T: PersistentModel>(_ object: T, _ relationship: RelationshipLayout) -> Bool {
    object._$state.pointee.dirty & PropertyMask.bit(relationship.position) != 0
  }

  private func count<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let count = try object._$countRelatedModels(relationship, in: map)
    let path = "\(relationship.path) of \(ModelContext.name(object))"
    if relationship.isRequired, count == 0 { return "\(path) must have a value; set it before saving" }
    // As documented by Apple: an optional relationship that is nil is not counted.
    if relationship.isOptional, count == 0 { return nil }
    if count < relationship.minimumCount {
      return "\(path) has \(count) models, and must have at least \(relationship.minimumCount)"
    }
    if relationship.maximumCount > 0, count > relationship.maximumCount {
      return "\(path) has \(count) models, and may have at most \(relationship.maximumCount)"
    }
    return nil
  }

  private func denial<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let left = try object._$readRelatedModels(relationship, in: map).filter { !$0.isDeleted }
    guard let first = left.first else { return nil }
    let others = left.count > 1 ? " and \(left.count - 1) more" : ""
    return "\(ModelContext.name(object)) cannot be deleted: \(relationship.path) denies it while there is "
      + "\(ModelContext.name(first))\(others); delete or change those first"
  }
}

extension RelationshipLayout {
  /// Whether the number of models has a limit besides its type.
  fileprivate var isCounted: Bool { isToMany && (minimumCount > 0 || maximumCount > 0) }
}
