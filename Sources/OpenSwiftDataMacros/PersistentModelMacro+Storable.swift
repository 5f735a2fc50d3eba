import SwiftSyntax

// Members that make the compiler diagnose properties that cannot be stored.

extension MemberExpansion {
  /// Never called: it exists to be type-checked.
  ///
  /// Row coding is nonisolated and cannot name an isolated conformance, so it accepts values of any type. This member
  /// has the default isolation, in which such a conformance is visible: a model is nonisolated even in a module with
  /// default isolation to the main actor.
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
  /// Whether the source alone does not prove that the type can be stored.
  fileprivate var mayBeUnstorable: Bool {
    guard !isTransformable else { return false }
    guard let type else { return initializer.map { !$0.isLiteral } ?? false }
    return !Self.valueTypes.contains(type.innermostName)
  }
}
