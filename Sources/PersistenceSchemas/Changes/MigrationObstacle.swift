import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// A change that cannot be made from two schemas alone: why, and which stage can make it.
  public struct MigrationObstacle: Sendable, Hashable, CustomStringConvertible {
    public let entity: String
    public let property: String
    /// Why the change needs code, as a sentence.
    public let reason: String
    /// What to do about it, as a sentence.
    public let remedy: String
    /// Whether the old value is of no use to the new property, where there is one.
    package var losesValue = false
    /// Whether only rows without a value are in the way, which code that runs before may have given one. All rows are
    /// otherwise, which such code may have deleted.
    package var isOfMissingValues = false

    public var description: String { "\(entity).\(property): \(reason) \(remedy)" }

    /// A property that objects which are there already would have no value for.
    static func missingDefault(_ entity: String, _ property: String, _ event: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It \(event) and has no default, so that objects that are stored already would have no value.",
        remedy: "Give it a default where it is declared, make it optional, or fill it in a .transform stage.")
    }

    /// An attribute that objects which are there already may have no value for.
    static func becameRequired(_ entity: String, _ property: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property,
        reason: "It became required and has no default, and objects that are stored already may have no value.",
        remedy: "Give it a default where it is declared, or set it in willMigrate of a .custom stage wherever it is "
          + "nil.",
        isOfMissingValues: true)
    }

    /// A relationship that objects which are there already may have no object for.
    static func becameRequired(relationship property: String, of entity: String) -> MigrationObstacle {
      MigrationObstacle(
        entity: entity, property: property, reason: "It became required, and objects may have none.",
        remedy: "Set it in willMigrate of a .custom stage wherever it is nil, or in a .transform stage.",
        isOfMissingValues: true)
    }

    /// A value that is to be of another type, which not every old value can become.
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
