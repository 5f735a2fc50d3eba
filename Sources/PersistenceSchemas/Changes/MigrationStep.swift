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
      /// An entity inherits from another entity than before, or begins or ceases to inherit.
      case changeSuperentity
      /// A property is new.
      case addProperty
      /// A property no longer exists.
      case removeProperty
      /// A property has another name or another declaration, for example another type.
      case changeProperty
      /// The indexes or uniqueness constraints of an entity have changed.
      case changeRules
    }

    /// The kind of change.
    public let kind: Kind
    /// The name of the entity.
    public let entity: String
    /// The name of the property, or its new name if it was renamed; nil for a change of the entity itself.
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
  /// A schema change that an automatic migration cannot perform, with the reason and a remedy. Ours.
  public struct MigrationObstacle: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity.
    public let entity: String
    /// The name of the property.
    public let property: String
    /// Why the change needs code, as a sentence.
    public let reason: String
    /// The remedy, as a sentence.
    public let remedy: String
    /// Whether existing values of the property cannot be converted, so that they are lost unless code converts them.
    package var losesValue = false
    /// Whether only rows without a value prevent the change. If so, code can remove the obstacle by setting these
    /// values before the change. If not, every row prevents the change, and code can only delete the rows.
    package var isOfMissingValues = false

    /// The property, the reason and the remedy.
    public var description: String { "\(entity).\(property): \(reason) \(remedy)" }

    /// An obstacle: existing objects have no value for a required property.
    static func missingDefault(_ entity: String, _ property: String, _ event: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It \(event) and has no default, so that objects that are stored already would have no value.",
        remedy: "Give it a default where it is declared, make it optional, or fill it in a .transform stage.")
    }

    /// An obstacle: an attribute became required, although existing objects may have no value for it.
    static func becameRequired(_ entity: String, _ property: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It became required and has no default, and objects that are stored already may have no value.",
        remedy: "Give it a default where it is declared, or set it in willMigrate of a .custom stage wherever it is "
          + "nil.",
        isOfMissingValues: true)
    }

    /// An obstacle: a relationship became required, although it may be nil in existing objects.
    static func becameRequired(relationship property: String, of entity: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property, reason: "It became required, and objects may have none.",
        remedy: "Set it in willMigrate of a .custom stage wherever it is nil, or in a .transform stage.",
        isOfMissingValues: true)
    }

    /// An obstacle: existing values cannot be converted to the new type of an attribute.
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

// Short names for the library's own code.
package typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
package typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
package typealias MigrationStep = _PersistenceRuntime.MigrationStep
