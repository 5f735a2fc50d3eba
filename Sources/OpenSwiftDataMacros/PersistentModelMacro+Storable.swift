import SwiftSyntax

// What makes the compiler refuse a property that cannot be stored.

extension MemberExpansion {
  /// Nothing calls it: it is there to be type-checked.
  ///
  /// Rows are read and written in no actor, where a conformance of an actor cannot be named, so that what reads and writes
  /// them takes values of any type. This is isolated, so that such a conformance can be: a model belongs to no actor even in
  /// a module whose other types are on the main one.
  var storableMembers: [String] {
    let requirements = model.properties.filter(\.mayBeUnstorable).map(requirement)
    guard !requirements.isEmpty else { return [] }
    return [
      """
      \(model.isolation == .globalActor ? "" : "@_Concurrency.MainActor ")private func _$requireStorable() {
        \(requirements.joined(separator: "\n  "))
      }
      """
    ]
  }

  private func requirement(_ property: StoredProperty) -> String {
    guard property.isLet, let type = property.writtenType else {
      return "_PersistenceRuntime._$Storable.variable(\(property.slot))"
    }
    return "_PersistenceRuntime._$Storable.constant((\(type)).self)"
  }
}

extension StoredProperty {
  /// Whether the source alone does not tell that the type can be stored.
  fileprivate var mayBeUnstorable: Bool {
    guard !isTransformable else { return false }
    guard let type else { return initializer.map { !$0.isLiteral } ?? false }
    return !Self.valueTypes.contains(type.innermostName)
  }
}
