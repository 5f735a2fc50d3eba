extension EntityLayout {
  /// Casts an object of the entity's identity map to a model without a dynamic cast: the map holds no other types.
  package func model(_ object: AnyObject) -> any PersistentModel {
    Self.model(object, as: modelType)
  }

  @inlinable package static func model<T: PersistentModel>(_ object: AnyObject, as type: T.Type) -> any PersistentModel
  {
    unsafeDowncast(object, to: T.self)
  }

  /// Describes the values of an object's unique properties for an error.
  package func uniqueValues(of model: any PersistentModel) -> [String] {
    func value<T: PersistentModel>(_ model: T, _ property: PropertyLayout) -> String {
      model[keyPath: property.keyPath].map { "\(property.name): \($0)" } ?? property.name
    }
    return Set(uniquePositions).sorted().map { value(model, properties[$0]) }
  }
}
