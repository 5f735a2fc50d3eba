import SwiftSyntax

// No code runs after an initialiser. But where generated code hears of every property that an initialiser has to give a
// value, it knows when the last of them has one, and with it the object is complete.

extension ModelDeclaration {
  /// As many as there are places for in the state of an object.
  private static let mostRequired = 20

  /// The properties that an initialiser has to give a value, in order; empty when that does not tell when an object is
  /// complete, or when nobody asks.
  var requiredProperties: [String] {
    guard isolation == .none, !mayHaveSuperclass, properties.contains(where: \.mayBeRelationship),
      declaration.memberBlock.members.allSatisfy({ isTracked($0.decl) })
    else { return [] }
    let names = properties.filter { !$0.hasImplicitValue }.map(\.name)
    return names.count <= Self.mostRequired ? names : []
  }

  /// Whether a member stores nothing that an initialiser has to set, or calls generated code when it is set.
  private func isTracked(_ member: DeclSyntax) -> Bool {
    if member.is(IfConfigDeclSyntax.self) { return false }
    guard let variable = member.as(VariableDeclSyntax.self), !variable.isTypeMember, !variable.isLazy else {
      return true
    }
    if let property = StoredProperty(variable), !property.isLet { return true }
    return variable.bindings.allSatisfy { binding in
      let isOptional = binding.typeAnnotation?.type.isOptional ?? false
      return binding.isComputed || binding.initializer != nil || (isOptional && !variable.isLet)
    }
  }
}

extension StoredProperty {
  /// Whether the property has a value before an initialiser gives it one.
  var hasImplicitValue: Bool { initializer != nil || (type?.isOptional ?? false) }
}

extension MemberExpansion {
  /// Where the state is in an object, for those that have nothing but its address.
  var stateOffset: [DeclSyntax] {
    guard !model.requiredProperties.isEmpty else { return [] }
    return ["private nonisolated static let _$stateOffset = PersistenceCore.ModelState._$offset(in: \(raw: name).self)"]
  }
}
