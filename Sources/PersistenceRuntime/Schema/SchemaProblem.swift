/// A contradiction in a schema. Its description names the entity, the property and the remedy.
package struct SchemaProblem: Hashable, Sendable, CustomStringConvertible {
  /// The kind of contradiction.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case duplicateEntity, duplicateProperty
    case entityNameNotStorable, propertyNameNotStorable
    case typeNotStorable, unknownTransformer, encryptionOutOfSight, defaultOfAnotherType, unknownMetadata
    case noPlaceholder, modelOutOfRow
    case destinationIsNoModel, destinationIsMissing, modelsInOtherCollection, modelTakenForValue
    case ambiguousInverse, inverseIsNoRelationship, inverseDoesNotLeadBack, inversesDisagree
    case uniqueToMany, impossibleModelCount
    case unresolvedKeyPath, unknownPropertyInRule, unsuitablePropertyInRule, emptyRule
    case propertyIsNoCoordinate, impossibleSpace
    case superclassIsMissing, subclassIsNoModel, inheritsFromItself
    case originalNameIsTaken, originalNameIsShared
    case originalEntityNameIsTaken, originalEntityNameIsShared
  }

  package let kind: Kind
  /// The name of the entity.
  package let entity: String
  /// The name of the property, if there is one.
  package let property: String?
  /// The contradiction and its remedy.
  package let description: String

  package init(_ kind: Kind, entity: String, property: String? = nil, _ description: String) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.description = description
  }
}
