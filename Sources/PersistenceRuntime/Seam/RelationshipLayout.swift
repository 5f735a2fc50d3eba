/// The runtime description of a relationship (decision 11).
package final class RelationshipLayout: Sendable {
  /// The inverse relationship.
  package struct Inverse: Sendable, Hashable {
    package let name: String
    /// The position in the destination entity.
    package let position: Int
    package let isToMany: Bool
    package let isOptional: Bool

    package init(name: String, position: Int, isToMany: Bool, isOptional: Bool) {
      self.name = name
      self.position = position
      self.isToMany = isToMany
      self.isOptional = isOptional
    }
  }

  /// The storage of a relationship.
  package enum Storage: Sendable, Hashable {
    /// A foreign key column in the entity's own table.
    case column
    /// The column of the inverse relationship.
    case inverseColumn
    /// A table with a row for every pair. Two inverse relationships share one, which one of them reads with swapped
    /// columns.
    case links(isReversed: Bool)
  }

  package let entity: String
  package let name: String
  package let position: Int
  package let destination: String
  package let destinationType: any PersistentModel.Type
  package let isToMany: Bool
  package let isOptional: Bool
  package let inverse: Inverse?
  package let storage: Storage
  package let deleteRule: Schema.Relationship.DeleteRule
  /// The delete rule of the inverse; nil without one.
  package let inverseDeleteRule: Schema.Relationship.DeleteRule?
  package let minimumCount: Int
  /// The maximum count; 0 for any number.
  package let maximumCount: Int
  /// Whether a to-many relationship keeps its order.
  package let isOrdered: Bool

  package init(
    _ relationship: Schema.Relationship, to destinationType: any PersistentModel.Type, position: Int, of entity: String,
    inverse: Inverse?, inverseDeleteRule: Schema.Relationship.DeleteRule?
  ) {
    let type = PropertyType(relationship.valueType)
    self.destinationType = destinationType
    self.entity = entity
    self.name = relationship.name
    self.position = position
    self.destination = relationship.destination
    self.isToMany = type.isToMany
    self.isOptional = type.isOptional
    self.inverse = inverse
    self.deleteRule = relationship.deleteRule
    self.inverseDeleteRule = inverseDeleteRule
    self.minimumCount = relationship.minimumModelCount ?? 0
    self.maximumCount = relationship.maximumModelCount ?? 0
    self.isOrdered = type.isToMany && !relationship.options.contains(.unordered)
    self.storage = Self.storage(
      from: (entity, relationship.name, type.isToMany, type.isOptional), to: relationship.destination, inverse)
  }

  /// Whether the relationship is its own inverse, such as friends of a person.
  package var isSymmetric: Bool { inverse?.name == name && destination == entity }

  /// Whether nil violates the schema.
  package var isRequired: Bool { !isToMany && !isOptional }

  package var path: String { "\(entity).\(name)" }

  private typealias End = (entity: String, name: String, isToMany: Bool, isOptional: Bool)

  /// Of two inverse to-one relationships, one has the column: the required one, else the first by name. Of two to-many
  /// ones, the first by name owns the table.
  private static func storage(from end: End, to destination: String, _ inverse: Inverse?) -> Storage {
    guard let inverse else { return end.isToMany ? .links(isReversed: false) : .column }
    if inverse.name == end.name, destination == end.entity { return end.isToMany ? .links(isReversed: false) : .column }
    let isFirst = (end.entity, end.name) < (destination, inverse.name)
    switch (end.isToMany, inverse.isToMany) {
    case (true, true): return .links(isReversed: !isFirst)
    case (true, false): return .inverseColumn
    case (false, true): return .column
    case (false, false):
      if end.isOptional != inverse.isOptional { return end.isOptional ? .inverseColumn : .column }
      return isFirst ? .column : .inverseColumn
    }
  }
}
