import Foundation
import PersistenceRuntime

/// Checks R-tree indexes.
extension SchemaChecks {
  private static let mostDimensions = 5

  func spaceProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    entity.rtreeIndices.flatMap { names in
      [sizeProblem(of: names, in: entity)].compactMap { $0 } + repetitionProblems(of: names, in: entity)
        + names.compactMap { coordinateProblem(of: $0, in: entity) }
    }
  }

  private func sizeProblem(of names: [String], in entity: Schema.Entity) -> SchemaProblem? {
    guard names.count > Self.mostDimensions else { return nil }
    return SchemaProblem(
      .impossibleSpace, entity: entity.name,
      "\(entity.name): an R-tree of \(names.joined(separator: ", ")) has \(names.count) dimensions, and "
        + "\(Self.mostDimensions) are the most. Take properties out, or make it a .binary index."
    )
  }

  private func repetitionProblems(of names: [String], in entity: Schema.Entity) -> [SchemaProblem] {
    let repeated = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    return repeated.map { name in
      SchemaProblem(
        .impossibleSpace, entity: entity.name, property: name,
        "\(entity.name).\(name): an R-tree names it more than once. Name each property once."
      )
    }
  }

  private func coordinateProblem(of name: String, in entity: Schema.Entity) -> SchemaProblem? {
    let property = entity.property(named: name) ?? entity.member(named: name)
    guard let property, !PropertyType(property.valueType).isUnknown, let reason = Self.obstacle(to: property) else {
      return nil
    }
    return SchemaProblem(
      .propertyIsNoCoordinate, entity: entity.name, property: name,
      "\(entity.name).\(name): an R-tree names it, but \(reason). Take it out, or make it a .binary index."
    )
  }

  /// The reason why an R-tree cannot index the property; nil if it can, or if another check reports the property.
  private static func obstacle(to property: any SchemaProperty) -> String? {
    if let relationship = property as? Schema.Relationship {
      return relationship.isToOneRelationship ? "it relates to another model, and is no number" : nil
    }
    let type = PropertyType(property.valueType).wrapped
    if type == Bool.self { return "values of type Bool are only two, which halve a search at best" }
    let attribute = property as? Schema.Attribute
    let isOther = attribute?.isTransformable == true || attribute is Schema.CompositeAttribute
    return !isOther && isNumber(type) ? nil : "values of type \(type) are no numbers"
  }

  private static func isNumber(_ type: any Any.Type) -> Bool {
    if let raw = RawStorage.type(of: type), type is any Comparable.Type { return isRawNumber(raw) }
    return type != Bool.self && (type is any (FixedWidthInteger & StorableValue).Type || isReal(type))
  }

  private static func isReal(_ type: any Any.Type) -> Bool {
    type is any (BinaryFloatingPoint & StorableValue).Type || type == Date.self || type == Decimal.self
  }

  private static func isRawNumber<R: RawRepresentable>(_ type: R.Type) -> Bool { isNumber(R.RawValue.self) }
}
