// Values of properties that an object lacks.

extension PersistentModel {
  /// The default of a property, or a placeholder.
  package func _$default<Value>(_ position: Int) -> Value {
    _$freshDefault(position) ?? _$placeholder(position)
  }

  /// The default of a property, computed anew as an initialiser does.
  package func _$freshDefault<Value>(_ position: Int) -> Value? {
    let metadata = Self.schemaMetadata
    return position < metadata.count ? metadata[position].defaultValue as? Value : nil
  }

  private func _$placeholder<Value>(_ position: Int) -> Value {
    guard let map = _$state.pointee.identityMap else { return Placeholder.value(of: .unnamed) }
    return Placeholder.value(of: map.entity.properties[position])
  }
}

extension PropertyLayout {
  /// The layout of a property of an object without a schema.
  package static let unnamed = PropertyLayout(
    name: "", position: 0, keyPath: \PropertyLayout.name, valueType: Any.self, isOptional: true, isUnique: false,
    defaultValue: nil, kind: .attribute, columns: [])
}
