/// A model whose properties belong to an actor: to a global one, or to itself if it is an actor.
///
/// It is Sendable and may be held anywhere; the compiler lets only code that runs in the actor touch its properties. `@Model`
/// writes the conformance for an actor and for a class that is isolated to a global actor. Predicates and orders
/// name the properties as they do those of any model:
///
/// ```swift
/// @Model actor Note { var body: String; var stars: Int = 0 }
///
/// FetchDescriptor<Note>(predicate: #Predicate { $0.stars > 3 }, sortBy: [SortDescriptor(\.body)])
/// ```
public protocol IsolatedModel: PersistentModel, Sendable {
  /// The properties under the same names, in no actor. Only the library makes one.
  associatedtype _$Fields
  /// The way from the model to its properties outside of the actor.
  static var _$fieldsPath: AnyKeyPath { get }
  /// The key path of each property that leads there without a detour, which is the one that the schema has.
  static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { get }
  /// Whether the model is an actor whose jobs run where its context does.
  static var _$runsInContext: Bool { get }
  /// What runs those jobs; nil for other models.
  var _$execution: ModelExecution? { get }
}

extension IsolatedModel {
  public static var _$runsInContext: Bool { false }

  public var _$execution: ModelExecution? { nil }

  /// The key path of a property, for what takes key paths of models: `propertiesToFetch`, `inverse`, `#Index` of another
  /// model.
  ///
  /// A literal like `\Note.body` belongs to the actor, and the compiler refuses it elsewhere. This one reads around the
  /// isolation: give it to the library, and do not read through it.
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

/// The inverse that a model which belongs to an actor names; the other model may belong to one too.
public func _$inverse<T: PersistentModel, Value>(
  _ model: T.Type, _ keyPath: any KeyPath<T, Value> & Sendable
) -> AnyKeyPath { keyPath }

public func _$inverse<T: IsolatedModel, Value>(
  _ model: T.Type, _ field: any KeyPath<T._$Fields, Value> & Sendable
) -> AnyKeyPath { T.keyPath(field) }

// What isolated models have in the place of the members that every model has. Those of the protocol's extension could be
// used from anywhere.

public func _$modelContext<T: PersistentModel>(of model: T) -> ModelContext? { model.modelContext }

public func _$hasChanges<T: PersistentModel>(of model: T) -> Bool { model.hasChanges }

public func _$isDeleted<T: PersistentModel>(of model: T) -> Bool { model.isDeleted }

extension ModelState {
  /// The state of a new model that may be sent anywhere: its identity is there from the beginning, since it may be asked
  /// for anywhere.
  public init<T: PersistentModel>(isolated type: T.Type) {
    self.init()
    if !_$isDecoding() { token = IdentifierToken(entityName: Schema.entityName(ofModel: type)) }
  }
}
