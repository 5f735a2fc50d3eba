/// The encoded and compared content of a relationship.
package struct RelationshipForm: Codable, Hashable {
  package let name: String
  package let originalName: String
  package let options: [Schema.Relationship.Option]
  package var destination: String
  package let isToMany: Bool
  package let isOptional: Bool
  package let deleteRule: Schema.Relationship.DeleteRule
  package let inverseName: String?
  // Zero replaces nil, which is equivalent.
  package let minimumModelCount: Int
  package let maximumModelCount: Int
  package let hashModifier: String?

  init(_ relationship: Schema.Relationship) {
    self.name = relationship.name
    self.originalName = relationship.originalName
    self.options = Set(relationship.options).sorted { $0.name < $1.name }
    self.destination = relationship.destination
    self.isToMany = !relationship.isToOneRelationship
    self.isOptional = relationship.isOptional
    self.deleteRule = relationship.deleteRule
    self.inverseName = relationship.inverseName
    self.minimumModelCount = relationship.minimumModelCount ?? 0
    self.maximumModelCount = relationship.maximumModelCount ?? 0
    self.hashModifier = relationship.hashModifier
  }

  /// A placeholder type of the same shape, since models cannot be found by name.
  var valueType: any Any.Type {
    switch (isToMany, isOptional) {
    case (false, false): Schema.UnknownValue.self
    case (false, true): Schema.UnknownValue?.self
    case (true, false): [Schema.UnknownValue].self
    case (true, true): [Schema.UnknownValue]?.self
    }
  }

  var summary: String {
    let kind = isToMany ? "to-many" : "to-one"
    let inverse = inverseName ?? "none"
    return "name: \(name), \(kind)\(isOptional ? "?" : "") to \(destination), "
      + "deleteRule: \(deleteRule.rawValue), inverse: \(inverse)"
  }
}
