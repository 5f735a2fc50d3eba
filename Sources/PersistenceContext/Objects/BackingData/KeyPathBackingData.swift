import PersistenceRuntime

/// The values of a hand-written model, by key path, and its model state.
package final class KeyPathBackingData<Model: PersistentModel>: KeyPathStorage {
  private var values: [AnyKeyPath: Any] = [:]
  private let state: UnsafeMutablePointer<ModelState>

  package required init(for modelType: Model.Type) {
    state = .allocate(capacity: 1)
    state.initialize(to: ModelState())
  }

  deinit {
    // The model may be deallocated already, so its memory is not read.
    if let modelAddress { state.pointee.withdraw(modelAddress) }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  var stateAddress: UnsafeMutablePointer<ModelState> { state }

  package var persistentModelID: PersistentIdentifier?

  package var metadata: Any { Model.schemaMetadata }

  package func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value {
    if let value = values[keyPath] as? Value { return value }
    let metadata = Model.schemaMetadata.first { $0.keypath == keyPath }
    // Metadata is created by each call, and may lack the default by now. The layout has the default that the container
    // read.
    let standard: Any? = metadata?.defaultValue ?? known(keyPath)?.defaultValue
    let property = PropertyLayout(
      name: metadata?.name ?? "", position: 0, keyPath: keyPath, valueType: Value.self, isOptional: false,
      isUnique: false, defaultValue: standard, kind: .attribute, columns: [])
    let value: Value = Placeholder.value(of: property)
    values[keyPath] = value
    return value
  }

  package func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) {
    load(value, at: keyPath)
    guard state.pointee.identityMap != nil else { return }
    markChanged(keyPath)
  }

  // MARK: Without types

  func value(atAny keyPath: AnyKeyPath) -> Any? { values[keyPath] }

  func load(_ value: Any, at keyPath: AnyKeyPath) {
    let former = values.updateValue(value, forKey: keyPath)
    // Released after the mutation: its deinitialiser may read the model.
    withExtendedLifetime(former) {}
  }

  func forget(_ keyPath: AnyKeyPath) {
    let former = values.removeValue(forKey: keyPath)
    withExtendedLifetime(former) {}
  }

  /// The property in the layout of the container.
  private func known(_ keyPath: AnyKeyPath) -> PropertyLayout? {
    state.pointee.identityMap?.entity.property(at: keyPath)
  }

  private func markChanged(_ keyPath: AnyKeyPath) {
    guard let map = state.pointee.identityMap, let property = known(keyPath) else { return }
    // Without a context nothing retains the model or saves its changes.
    guard map.context != nil else {
      state.pointee.dirty |= property.bit
      return
    }
    guard let address = modelAddress else { return }
    Unmanaged<Model>.fromOpaque(address).takeUnretainedValue()._$willChange(property.position)
  }

  /// The address of the model that uses this data, set when the model is created or inserted.
  var modelAddress: UnsafeMutableRawPointer?
}

extension PersistentModel {
  /// Creates the backing data of a new model. Apple's, for hand-written models.
  ///
  /// - Returns: The backing data.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    KeyPathBackingData<P>(for: P.self)
  }

  /// Copies the values of other backing data. For generated code.
  public func _$adopt(_ backingData: any BackingData<Self>) {
    // The dynamic type: the superclass calls this for the properties of its subclasses too.
    for metadata in Swift.type(of: self).schemaMetadata {
      if let value = backingData.anyValue(at: metadata.keypath) { _$set(value, at: metadata.keypath) }
    }
  }
}
