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
      /// An entity inherits from another entity, or no longer from one.
      case changeSuperentity
      /// A property is new.
      case addProperty
      /// A property no longer exists.
      case removeProperty
      /// A property has another name or is declared differently, such as with another type.
      case changeProperty
      /// An entity has other indexes or uniqueness constraints.
      case changeRules
    }

    /// The kind of change.
    public let kind: Kind
    /// The name of the entity.
    public let entity: String
    /// The name of the property, the new one if it was renamed; nil for a change of the entity.
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
