import PersistenceRuntime
import PersistenceSupport

/// Finds properties for which no value can be returned after their row was deleted.
///
/// Another context or process may delete a row while an object of this row is in use. Reading a property of the object
/// cannot throw, so it must then return a placeholder: the default, or an empty value of the declared type.
extension SchemaChecks {
  func placeholderProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    // The metadata includes inherited properties, which are only reported for the entity that declares them.
    entity.metadata.compactMap { metadata in
      let type = type(of: metadata.keypath).valueType
      guard !Placeholder.isCertain(type), let attribute = attribute(metadata, type, in: entity),
        !hasDefault(metadata, type), let reason = obstacle(to: attribute, type)
      else { return nil }
      return Self.withoutPlaceholder(metadata.name, type, reason, in: entity)
    }
  }

  /// The attribute that the metadata describes; nil for a relationship and for an inherited property. A property that
  /// the program has removed from the entity has an attribute too.
  private func attribute(
    _ metadata: Schema.PropertyMetadata, _ type: any Any.Type, in entity: Schema.Entity
  ) -> Schema.Attribute? {
    if let known = entity.storedAttributes.first(where: { $0.name == metadata.name }) { return known }
    guard entity.property(named: metadata.name) == nil, PropertyType(type).destination == nil else { return nil }
    guard metadata.metadata != nil else { return Schema.Attribute(name: metadata.name, valueType: type) }
    return metadata.metadata as? Schema.Attribute
  }

  private func hasDefault(_ metadata: Schema.PropertyMetadata, _ type: any Any.Type) -> Bool {
    DefaultValue.unwrapped(metadata.defaultValue).flatMap { DefaultValue.conforming($0, to: type) } != nil
  }

  /// The reason why there is no placeholder for the attribute; nil if there is one, or if another check rejects the
  /// type.
  private func obstacle(to attribute: Schema.Attribute, _ type: any Any.Type) -> String? {
    if attribute.isTransformable {
      guard let transformer = attribute.transformer else { return nil }
      if Placeholder.isAvailable(type, transformer: transformer) { return nil }
      let refusal = PropertyType(type).isCodable ? "its init(from:) refuses empty values" : "it is not Decodable"
      return "\(refusal), and its transformer makes none of nil"
    }
    guard PropertyType(type).isCodable, !isCertain(attribute, type),
      !Placeholder.isAvailable(type, transformer: nil)
    else { return nil }
    return reason(for: attribute, type)
  }

  private func isCertain(_ attribute: Schema.Attribute, _ type: any Any.Type) -> Bool {
    guard let composite = attribute as? Schema.CompositeAttribute else { return Placeholder.isCertain(type) }
    return Placeholder.isCertain(type) || composite.properties.allSatisfy { isCertain($0, $0.valueType) }
  }

  private func reason(for attribute: Schema.Attribute, _ type: any Any.Type) -> String {
    guard let (path, culprit) = culprit(in: attribute) else { return "its init(from:) refuses empty values" }
    return "\(culprit), the type of its member \(path), refuses empty values in init(from:)"
  }

  /// The first member of a struct that has no placeholder. If this member is a struct, its member without placeholder.
  private func culprit(in attribute: Schema.Attribute) -> (path: String, type: any Any.Type)? {
    guard let composite = attribute as? Schema.CompositeAttribute else { return nil }
    for member in composite.properties where !isCertain(member, member.valueType) {
      if Placeholder.isAvailable(member.valueType, transformer: nil) { continue }
      guard let inner = culprit(in: member) else { return (member.name, member.valueType) }
      return ("\(member.name).\(inner.path)", inner.type)
    }
    return nil
  }

  private static func withoutPlaceholder(
    _ name: String, _ type: any Any.Type, _ reason: String, in entity: Schema.Entity
  ) -> SchemaProblem {
    SchemaProblem(
      .noPlaceholder, entity: entity.name, property: name,
      """
      \(entity.name).\(name): when a row is gone, some value of type \(type) has to stand in for it, and none can be made: \
      \(reason). Give the property a default, or make it optional.
      """
    )
  }
}
