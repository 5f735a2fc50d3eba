import PersistenceSupport

// Models whose properties are isolated: to a global actor, or to the model itself if it is an actor.
//
// These are requirements of every model, since a macro cannot declare a conformance conditionally: the compiler asserts
// when a subclass inherits some of the declared conformances and lacks others.

extension PersistentModel {
  public static var _$fieldsPath: AnyKeyPath { \Self.self }

  public static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { [:] }

  public static var _$runsInContext: Bool { false }

  public var _$execution: _PersistenceRuntime.ForwardingExecutor? { nil }

  /// Returns the key path of an isolated property, for API that takes key paths of models: `propertiesToFetch`,
  /// `inverse`, another model's `#Index`. Ours.
  ///
  /// A literal such as `\Note.body` is isolated to the actor, and the compiler rejects it elsewhere. This key path
  /// bypasses the isolation, like `\Note._body` in predicates and sorts. Pass it to the library; do not read through
  /// it.
  ///
  /// - Parameter field: The key path of the property in the model's fields, such as `\.body`.
  /// - Returns: The key path of the property, usable in any isolation.
  public static func keyPath<Value>(
    _ field: any KeyPath<_$Fields, Value> & Sendable
  ) -> any KeyPath<Self, Value> & Sendable {
    let start = unsafe unsafeDowncast(_$fieldsPath, to: KeyPath<Self, _$Fields>.self)
    let known = _$fieldKeyPaths[field as AnyKeyPath] as? KeyPath<Self, Value>
    let path = known ?? start.appending(path: field as KeyPath<_$Fields, Value>)
    // Both parts are Sendable, so their composition is; the type system infers that for literals only.
    return unsafe unsafeBitCast(path, to: (any KeyPath<Self, Value> & Sendable).self)
  }
}

extension _PersistenceRuntime {
  /// The inverse that a model names, possibly of a model isolated to an actor.
  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ keyPath: any KeyPath<T, Value> & Sendable
  ) -> AnyKeyPath { keyPath }

  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ field: any KeyPath<T._$Fields, Value> & Sendable
  ) -> AnyKeyPath { T.keyPath(field) }

  /// The fields of a model without isolation, whose own key paths need no substitute.
  public enum _$NoFields {}

  // The members of isolated models in place of those in the protocol's extension, which are nonisolated.

  public static func _$hasChanges<T: PersistentModel>(of model: T) -> Bool { model.hasChanges }
  public static func _$isDeleted<T: PersistentModel>(of model: T) -> Bool { model.isDeleted }
}

extension ModelState {
  /// The state of a new isolated model, whose identity exists from the beginning: it may be read in any isolation.
  public init<T: PersistentModel>(isolated type: T.Type) {
    self.init()
    if !_PersistenceRuntime._$isDecoding() { token = IdentifierToken(entityName: Schema.entityName(ofModel: type)) }
  }
}
