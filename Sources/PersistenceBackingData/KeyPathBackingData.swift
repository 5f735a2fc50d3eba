import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

/// The property values, by key path, and the library's state of a model that was written without `@Model`.
package final class KeyPathBackingData<Model: PersistentModel>: KeyPathStorage, HeldBackingData {
  private var values: [AnyKeyPath: Any] = [:]
  private let state: UnsafeMutablePointer<ModelState>

  package required init(for modelType: Model.Type) {
    state = .allocate(capacity: 1)
    state.initialize(to: ModelState())
  }

  deinit {
    // The model may be deallocated already. So only its address is used, and its memory is not read.
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
    // Each call of `schemaMetadata` evaluates the default again, so this call may return no default. Then the default
    // is used that the container read when it built the schema.
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

  // MARK: Access without static types

  package func value(atAny keyPath: AnyKeyPath) -> Any? { values[keyPath] }

  package func load(_ value: Any, at keyPath: AnyKeyPath) {
    let former = values.updateValue(value, forKey: keyPath)
    // The former value must be released after the mutation of `values`, because its deinitialiser may read the model.
    withExtendedLifetime(former) {}
  }

  func forget(_ keyPath: AnyKeyPath) {
    let former = values.removeValue(forKey: keyPath)
    withExtendedLifetime(former) {}
  }

  /// The layout of a property; nil before the model is inserted into a context, or if the schema lacks the property.
  private func known(_ keyPath: AnyKeyPath) -> PropertyLayout? {
    state.pointee.identityMap?.entity.property(at: keyPath)
  }

  private func markChanged(_ keyPath: AnyKeyPath) {
    guard let map = state.pointee.identityMap, let property = known(keyPath) else { return }
    // If the context was released, nothing saves the change. So only the property's bit in the change mask is set.
    guard map.context != nil else {
      state.pointee.dirty |= property.bit
      return
    }
    guard let address = modelAddress else { return }
    Unmanaged<Model>.fromOpaque(address).takeUnretainedValue()._$willChange(property.position)
  }

  /// The address of the model that uses this data; nil until the library has accessed the model's state.
  var modelAddress: UnsafeMutableRawPointer?
}

extension PersistentModel {
  /// Creates the backing data of a new model, for models that are written without `@Model`. Apple's.
  ///
  /// - Returns: The backing data.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    KeyPathBackingData<P>(for: P.self)
  }

  /// Sets all properties of the model to the values in other backing data. For generated code.
  public func _$adopt(_ backingData: any BackingData<Self>) {
    // The superclass's initialiser also sets a subclass's properties; only the dynamic type's metadata contains them.
    for metadata in Swift.type(of: self).schemaMetadata {
      if let value = backingData.anyValue(at: metadata.keypath) { _$set(value, at: metadata.keypath) }
    }
  }
}

extension _PersistenceRuntime {
  /// The backing data of a model with `@Model`. It stores no values: it reads and sets the properties of the model.
  public struct ModelBackingData<Model: PersistentModel>: KeyPathStorage {
    let model: Model

    /// Creates the backing data of an existing model. For generated code.
    public init(_ model: Model) {
      self.model = model
    }

    /// Creates the backing data of a new model.
    public init(for modelType: Model.Type) {
      model = Model(backingData: KeyPathBackingData(for: modelType))
    }

    /// Setting the identifier has no effect: the context assigns identifiers.
    public var persistentModelID: PersistentIdentifier? {
      get { model.persistentModelID }
      set { _ = newValue }
    }

    /// The metadata of the model's properties.
    public var metadata: Any { Model.schemaMetadata }

    package func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value { model[keyPath: keyPath] }

    package func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) {
      if let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> {
        model[keyPath: keyPath] = value
      } else {
        model._$set(value, at: keyPath)
      }
    }
  }
}

/// Backing data whose values are accessed with key paths of any root type.
///
/// A subclass of a model inherits the type of the backing data, whose static root type is the superclass. The
/// properties of the subclass can therefore only be accessed with untyped key paths.
package protocol UntypedBackingData {
  func value(atAny keyPath: AnyKeyPath) -> Any?
  func set(_ value: Any, atAny keyPath: AnyKeyPath)
}

extension KeyPathBackingData: UntypedBackingData {
  package func set(_ value: Any, atAny keyPath: AnyKeyPath) {
    load(value, at: keyPath)
    markChanged(keyPath)
  }
}

extension ModelBackingData: UntypedBackingData {
  package func value(atAny keyPath: AnyKeyPath) -> Any? { model[keyPath: keyPath] }
  package func set(_ value: Any, atAny keyPath: AnyKeyPath) { model._$set(value, at: keyPath) }
}

extension BackingData {
  /// The value of a constant that a subclass declares, or its default if the backing data has none. For generated code.
  public func _$value<Root: PersistentModel, Value>(at keyPath: KeyPath<Root, Value>) -> Value {
    if let value = anyValue(at: keyPath) as? Value { return value }
    return KeyPathBackingData<Root>(for: Root.self).value(at: keyPath)
  }

  /// Sets the value at an untyped key path. Backing data of the program ignores a value of the wrong type.
  package func setAnyValue(_ value: Any, at keyPath: AnyKeyPath) {
    if let data = self as? any UntypedBackingData { return data.set(value, atAny: keyPath) }
    func write<Value>(_ type: Value.Type) {
      guard let keyPath = keyPath as? KeyPath<Model, Value>, let value = value as? Value else { return }
      setTransformableValue(forKey: keyPath, to: value)
    }
    _openExistential(type(of: keyPath).valueType, do: write)
  }

  /// The value at an untyped key path; nil if the backing data has none.
  package func anyValue(at keyPath: AnyKeyPath) -> Any? {
    if let data = self as? any UntypedBackingData { return data.value(atAny: keyPath) }
    func read<Value>(_ type: Value.Type) -> Any? {
      guard let keyPath = keyPath as? KeyPath<Model, Value> else { return nil }
      return getTransformableValue(forKey: keyPath)
    }
    return _openExistential(type(of: keyPath).valueType, do: read)
  }
}

extension RelationshipSlotOperation {
  /// Applies the operation to a relationship of a model without `@Model`. Its value is in the backing data, not in a
  /// slot.
  mutating func apply<Model: PersistentModel>(
    to model: Model, _ property: PropertyLayout, _ data: KeyPathBackingData<Model>
  ) {
    let isToMany = property.relationship?.isToMany ?? false
    guard let value = data.value(atAny: property.keyPath), property.isRelationship else {
      if kind == .fill || kind == .restore {
        load(isToMany ? objects : ContiguousArray(objects.prefix(1)), property, into: data)
      }
      return
    }
    let held = isToMany ? ContiguousArray(ModelContext.models(value) as [AnyObject]) : held(value)
    note(held)
    switch kind {
    case .read: objects = held
    case .find, .announce, .willSet, .didSet: break
    case .set: load(object.map { [$0] } ?? [], property, into: data)
    case .clear: if property.isOptional { load([], property, into: data) }
    case .append: load(held + (object.map { [$0] } ?? []), property, into: data)
    case .takeOut, .remove: load(held.filter { !removal.contains($0) }, property, into: data)
    case .fill, .restore: load(objects, property, into: data)
    case .release: data.forget(property.keyPath)
    }
  }

  private func held(_ value: Any) -> ContiguousArray<AnyObject> {
    ModelContext.model(value).map { [$0] } ?? []
  }

  private func load<Model: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, _ property: PropertyLayout, into data: KeyPathBackingData<Model>
  ) {
    guard let relationship = property.relationship else { return }
    func value<Destination: PersistentModel>(_ type: Destination.Type) -> Any {
      let models = objects.map { unsafeDowncast($0, to: Destination.self) }
      if relationship.isToMany { return relationship.isOptional ? Optional(models) as Any : models }
      if relationship.isOptional { return models.first as Destination? as Any }
      return models.first as Any
    }
    data.load(value(relationship.destinationType), at: property.keyPath)
  }
}

// Short names for the library's own code.
@usableFromInline package typealias ModelBackingData = _PersistenceRuntime.ModelBackingData
