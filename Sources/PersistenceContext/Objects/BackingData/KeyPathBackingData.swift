import PersistenceRuntime

/// The values of a model that is written by hand, by key path, with the state that every model has.
package final class KeyPathBackingData<Model: PersistentModel>: KeyPathStorage {
  private var values: [AnyKeyPath: Any] = [:]
  private let state: UnsafeMutablePointer<ModelState>

  package required init(for modelType: Model.Type) {
    state = .allocate(capacity: 1)
    state.initialize(to: ModelState())
  }

  deinit {
    // The model may be gone for long: its memory must not be asked whether it dies.
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
    // Metadata is made anew each time, and may have no default any more. The layout has the one that the container found.
    let standard: Any? = metadata?.defaultValue ?? known(keyPath)?.defaultValue
    let property = PropertyLayout(
      name: metadata?.name ?? "", position: 0, keyPath: keyPath, valueType: Value.self, isOptional: false,
      isUnique: false, defaultValue: standard, kind: .attribute, columns: [])
    let value: Value = Placeholder.value(of: property)
    values[keyPath] = value
    return value
  }

  package func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) {
    values[keyPath] = value
    guard state.pointee.identityMap != nil else { return }
    markChanged(keyPath)
  }

  // MARK: Without types

  func value(atAny keyPath: AnyKeyPath) -> Any? { values[keyPath] }

  func load(_ value: Any, at keyPath: AnyKeyPath) { values[keyPath] = value }

  func forget(_ keyPath: AnyKeyPath) { values[keyPath] = nil }

  /// The property as the container knows it that the model belongs to.
  private func known(_ keyPath: AnyKeyPath) -> PropertyLayout? {
    state.pointee.identityMap?.entity.property(at: keyPath)
  }

  private func markChanged(_ keyPath: AnyKeyPath) {
    guard let map = state.pointee.identityMap, let property = known(keyPath) else { return }
    // Without its context nothing keeps the model, and nothing collects its changes.
    guard map.context != nil else {
      state.pointee.dirty |= property.bit
      return
    }
    guard let address = modelAddress else { return }
    Unmanaged<Model>.fromOpaque(address).takeUnretainedValue()._$willChange(property.position)
  }

  /// Where the model is that uses this data, told when the model is made or inserted.
  var modelAddress: UnsafeMutableRawPointer?
}

extension PersistentModel {
  /// Makes the backing data of a model that is written by hand.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    KeyPathBackingData<P>(for: P.self)
  }

  /// Takes over the values of other backing data.
  public func _$adopt(_ backingData: any BackingData<Self>) {
    // Those of a subclass too, whose superclass calls this.
    for metadata in Swift.type(of: self).schemaMetadata {
      if let value = backingData.anyValue(at: metadata.keypath) { _$set(value, at: metadata.keypath) }
    }
  }
}
