import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// One change on the way from a schema to another, in words.
  public struct MigrationStep: Sendable, Hashable, CustomStringConvertible {
    /// What kind of change it is.
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

    public let kind: Kind
    /// The entity that changes.
    public let entity: String
    /// The property that changes, under its new name where it has one; nil for a change of the whole entity.
    public let property: String?
    /// The change in a sentence.
    public let description: String

    init(_ kind: Kind, of entity: String, property: String? = nil, _ description: String) {
      self.kind = kind
      self.entity = entity
      self.property = property
      self.description = description
    }
  }
}
