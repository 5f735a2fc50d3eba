import PersistenceBackingData
import PersistenceContext
import PersistenceRuntime

extension BackingData {
  /// Backing data with the same values for another class of the same hierarchy, such as a subclass of ``Model``.
  /// Apple's.
  ///
  /// - Returns: A view: setting its values sets the values of this backing data. Use it on the same thread or actor.
  public func _generateCurrentClassBackingData<CurrentClass: PersistentModel>() -> any BackingData<CurrentClass> {
    InheritedBackingData<CurrentClass>.view(of: self)
  }

  /// Backing data with the same values for a superclass of ``Model``. Apple's.
  ///
  /// - Parameter givenType: A class with this superclass; the result does not depend on it.
  /// - Returns: A view: setting its values sets the values of this backing data. Use it on the same thread or actor.
  public func _superClassBackingData<SuperClass: PersistentModel>(
    of givenType: any PersistentModel.Type
  ) -> any BackingData<SuperClass> {
    InheritedBackingData<SuperClass>.view(of: self)
  }
}

/// Backing data for one class of a hierarchy, which reads and sets the values in backing data of another class.
///
/// The two classes have different key paths to an inherited property. The property is found by its name.
package struct InheritedBackingData<Model: PersistentModel>: KeyPathStorage, UntypedBackingData {
  private var source: any BackingData

  /// Creates backing data of a new model, with its own values.
  package init(for modelType: Model.Type) {
    source = KeyPathBackingData(for: modelType)
  }

  private init(_ source: any BackingData) {
    self.source = source
  }

  static func view(of source: some BackingData) -> any BackingData<Model> {
    (source as? any BackingData<Model>) ?? InheritedBackingData(source)
  }

  package var persistentModelID: PersistentIdentifier? {
    get { source.persistentModelID }
    set { source.persistentModelID = newValue }
  }

  package var metadata: Any { Model.schemaMetadata }

  package func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value {
    (value(atAny: keyPath) as? Value) ?? KeyPathBackingData(for: Model.self).value(at: keyPath)
  }

  package func value(atAny keyPath: AnyKeyPath) -> Any? {
    source.anyValue(at: keyPath) ?? equivalent(of: keyPath).flatMap { source.anyValue(at: $0) }
  }

  package func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) {
    set(value, atAny: equivalent(of: keyPath) ?? keyPath)
  }

  package func set(_ value: Any, atAny keyPath: AnyKeyPath) { source.setAnyValue(value, at: keyPath) }

  /// The key path of the same property in the class of ``source``.
  private func equivalent(of keyPath: AnyKeyPath) -> AnyKeyPath? {
    guard let name = Model.schemaMetadata.first(where: { $0.keypath == keyPath })?.name else { return nil }
    return source.keyPath(ofPropertyNamed: name)
  }
}

extension BackingData {
  fileprivate func keyPath(ofPropertyNamed name: String) -> AnyKeyPath? {
    Model.schemaMetadata.first { $0.name == name }?.keypath
  }
}
