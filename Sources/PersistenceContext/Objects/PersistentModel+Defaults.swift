// Values of properties that an object lacks.

import PersistenceRuntime

extension PersistentModel {
  /// The default of a property, or a placeholder.
  func _$default<Value>(_ position: Int) -> Value {
    _$freshDefault(position) ?? _$placeholder(position)
  }

  /// The default of a property, computed anew as an initialiser does.
  func _$freshDefault<Value>(_ position: Int) -> Value? {
    let metadata = Self.schemaMetadata
    return position < metadata.count ? metadata[position].defaultValue as? Value : nil
  }

  private func _$placeholder<Value>(_ position: Int) -> Value {
    guard let map = _$state.pointee.identityMap else { return Placeholder.value(of: .unnamed) }
    return Placeholder.value(of: map.entity.properties[position])
  }
}
