/// What the machinery needs to know about a relationship.
package final class RelationshipLayout: Sendable {
  /// The relationship that leads back.
  package struct Inverse: Sendable, Hashable {
    package let name: String
    /// Its position among the properties of the destination.
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

  /// Where a relationship is kept.
  package enum Storage: Sendable, Hashable {
    /// In a column of the own table that has the key of the related row.
    case column
    /// In the column of the relationship that leads back.
    case inverseColumn
    /// In a table of its own that has a row for every pair. Two relationships that are each other's inverses share one,
    /// in which one of them reads its columns the other way round.
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
  /// What happens to models of this side when a related one is deleted; nil when nothing leads back.
  package let inverseDeleteRule: Schema.Relationship.DeleteRule?
  package let minimumCount: Int
  /// 0 for any number.
  package let maximumCount: Int
  /// Whether the models of a to-many relationship keep the order in which they were left.
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

  /// Whether the relationship is its own inverse, as that between friends is.
  package var isSymmetric: Bool { inverse?.name == name && destination == entity }

  /// Whether an unset value violates the model.
  package var isRequired: Bool { !isToMany && !isOptional }

  package var path: String { "\(entity).\(name)" }

  private typealias End = (entity: String, name: String, isToMany: Bool, isOptional: Bool)

  /// Of two to-one relationships that lead to each other, one has the column: the required one, or else the first by
  /// name; of two to-many ones, the first by name owns the table.
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
