import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// One change between two schemas, with a description. Ours.
  public struct MigrationStep: Sendable, Hashable, CustomStringConvertible {
    /// The kind of change.
    public enum Kind: String, Sendable, Hashable {
      /// An entity is new.
      case addEntity
      /// An entity no longer exists.
      case removeEntity
      /// An entity has another name.
      case renameEntity
      /// An entity has another superentity, a new one, or none any more.
      case changeSuperentity
      /// A property is new.
      case addProperty
      /// A property no longer exists.
      case removeProperty
      /// A property has another name or another declaration, for example another type.
      case changeProperty
      /// An entity has other indexes or uniqueness constraints.
      case changeRules
    }

    /// The kind of change.
    public let kind: Kind
    /// The name of the entity.
    public let entity: String
    /// The name of the property (the new name if it was renamed); nil for a change of the entity.
    public let property: String?
    /// The change as a sentence.
    public let description: String

    init(_ kind: Kind, of entity: String, property: String? = nil, _ description: String) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.description = description
    }
  }
}

extension _PersistenceRuntime {
  /// A schema change that a lightweight migration cannot perform, with the reason and the remedy. Ours.
  public struct MigrationObstacle: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity.
    public let entity: String
    /// The name of the property.
    public let property: String
    /// Why the change needs code, as a sentence.
    public let reason: String
    /// The remedy, as a sentence.
    public let remedy: String
    /// Whether the old value, if it exists, cannot be converted.
    package var losesValue = false
    /// Whether only rows without a value obstruct the change. Then code that sets the values before the change removes
    /// the obstacle. If false, every row obstructs the change, and only code that deletes the rows removes it.
    package var isOfMissingValues = false

    /// The property, the reason and the remedy.
    public var description: String { "\(entity).\(property): \(reason) \(remedy)" }

    /// The obstacle of a property without a value in existing objects.
    static func missingDefault(_ entity: String, _ property: String, _ event: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It \(event) and has no default, so that objects that are stored already would have no value.",
        remedy: "Give it a default where it is declared, make it optional, or fill it in a .transform stage.")
    }

    /// The obstacle of an attribute that may have no value in existing objects.
    static func becameRequired(_ entity: String, _ property: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It became required and has no default, and objects that are stored already may have no value.",
        remedy: "Give it a default where it is declared, or set it in willMigrate of a .custom stage wherever it is "
          + "nil.",
        isOfMissingValues: true)
    }

    /// The obstacle of a relationship that may have no object in existing objects.
    static func becameRequired(relationship property: String, of entity: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property, reason: "It became required, and objects may have none.",
        remedy: "Set it in willMigrate of a .custom stage wherever it is nil, or in a .transform stage.",
        isOfMissingValues: true)
    }

    /// The obstacle of a change of type that is not a widening.
    static func type(_ entity: String, _ property: String, from old: String, to new: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "A stored \(old) does not become a \(new) without code that says how.",
        remedy: "Convert it in a .transform stage, which sees old and new objects at once; or add a property of the "
          + "new type in one version, fill it in didMigrate of a .custom stage, and remove the old one in the next "
          + "version.",
        losesValue: true)
    }

    static func relationship(
      _ entity: String, _ property: String, _ reason: String
    ) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property, reason: reason,
        remedy:
          "Set it in a .transform stage, which sees old and new objects at once; or add another relationship in one "
          + "version, fill it in didMigrate of a .custom stage, and remove the old one in the next version.",
        losesValue: true)
    }
  }
}

// Lets the library's own code omit the prefix `_PersistenceRuntime`.
package typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
package typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
package typealias MigrationStep = _PersistenceRuntime.MigrationStep
