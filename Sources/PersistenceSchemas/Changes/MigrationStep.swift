import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// One change between two schemas, with a description. Ours.
  public struct MigrationStep: Sendable, Hashable, CustomStringConvertible {
    /// The kind of change.
    public enum Kind: String, Sendable, Hashable {
      case addEntity
      case removeEntity
      case renameEntity
      case changeSuperentity
      case addProperty
      case removeProperty
      case changeProperty
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
