import PersistenceSupport

// Models whose properties belong to an actor: to a global one, or to the model itself if it is an actor.
//
// These are requirements of every model, since a macro cannot announce a conformance that only some have: the compiler
// ends with an assertion where a subclass inherits some of the announced conformances and lacks others.

extension PersistentModel {
  public static var _$fieldsPath: AnyKeyPath { \Self.self }

  public static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { [:] }

  public static var _$runsInContext: Bool { false }

  public var _$execution: _PersistenceRuntime.ForwardingExecutor? { nil }

  /// The key path of a property, for what takes key paths of models: `propertiesToFetch`, `inverse`, `#Index` of another
  /// model.
  ///
  /// A literal like `\Note.body` belongs to the actor, and the compiler refuses it elsewhere. This one reads around the
  /// isolation, as `\Note._body` does, which predicates and sorts name: give them to the library, and do not read through
  /// them.
  public static func keyPath<Value>(
    _ field: any KeyPath<_$Fields, Value> & Sendable
  ) -> any KeyPath<Self, Value> & Sendable {
    let start = unsafe unsafeDowncast(_$fieldsPath, to: KeyPath<Self, _$Fields>.self)
    let known = _$fieldKeyPaths[field as AnyKeyPath] as? KeyPath<Self, Value>
    let path = known ?? start.appending(path: field as KeyPath<_$Fields, Value>)
    // Both parts are Sendable, so what they make is; only a literal could say so.
    return unsafe unsafeBitCast(path, to: (any KeyPath<Self, Value> & Sendable).self)
  }
}

extension _PersistenceRuntime {
  /// The inverse that a model names; the other model may belong to an actor.
  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ keyPath: any KeyPath<T, Value> & Sendable
  ) -> AnyKeyPath { keyPath }
}

extension _PersistenceRuntime {
  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ field: any KeyPath<T._$Fields, Value> & Sendable
  ) -> AnyKeyPath { T.keyPath(field) }
}

extension _PersistenceRuntime {
  /// The fields of a model that belongs to no actor: it has none, and its own names mean its properties.
  public enum _$NoFields {}
}

// What isolated models have in the place of the members that every model has. Those of the protocol's extension could be
// used from anywhere.

extension _PersistenceRuntime {
  public static func _$hasChanges<T: PersistentModel>(of model: T) -> Bool { model.hasChanges }
}

extension _PersistenceRuntime {
  public static func _$isDeleted<T: PersistentModel>(of model: T) -> Bool { model.isDeleted }
}

extension ModelState {
  /// The state of a new model that may be sent anywhere: its identity is there from the beginning, since it may be asked
  /// for anywhere.
  public init<T: PersistentModel>(isolated type: T.Type) {
    self.init()
    if !_PersistenceRuntime._$isDecoding() { token = IdentifierToken(entityName: Schema.entityName(ofModel: type)) }
  }
}
