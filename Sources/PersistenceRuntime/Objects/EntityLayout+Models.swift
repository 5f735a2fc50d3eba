extension EntityLayout {
  /// An object of the entity as a model, without asking the runtime what it is: its map holds no others.
  package func model(_ object: AnyObject) -> any PersistentModel {
    Self.model(object, as: modelType)
  }

  @inlinable package static func model<T: PersistentModel>(_ object: AnyObject, as type: T.Type) -> any PersistentModel
  {
    unsafeDowncast(object, to: T.self)
  }

  /// What has to be unique in an object, for the words of an error.
  package func uniqueValues(of model: any PersistentModel) -> [String] {
    func value<T: PersistentModel>(_ model: T, _ property: PropertyLayout) -> String {
      model[keyPath: property.keyPath].map { "\(property.name): \($0)" } ?? property.name
    }
    return Set(uniquePositions).sorted().map { value(model, properties[$0]) }
  }
}
