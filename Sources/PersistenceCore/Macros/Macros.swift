import Observation

/// Makes a class persistent: its stored properties become attributes and relationships of an entity.
///
/// Only classes can be models. The class needs an initialiser; properties may have any access, observers and defaults,
/// and `let` properties without a value are stored too.
///
/// ```swift
/// @Model final class Trip {
///   @Attribute(.unique) var name: String
///   var start: Date
///   init(name: String, start: Date) { self.name = name; self.start = start }
/// }
/// // CREATE TABLE "Trip" ("_osd_key" INTEGER PRIMARY KEY, "name" TEXT NOT NULL, "start" NOT NULL)
/// ```
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships),
  named(persistentBackingData), named(schemaMetadata),
  named(init),
  named(_$requireStorable),
  named(_$make), named(_$read), named(_$write), named(_$relate), named(_$decode), named(_$encode), named(access),
  named(withMutation), named(_SwiftDataNoType), named(_$Reference), named(_$first), named(_$propertyCount),
  named(_$keyPaths), named(_$Root),
  named(_$Fields), named(_$fields), named(_$fieldsPath), named(_$fieldKeyPaths), named(modelContext), named(hasChanges),
  named(isDeleted),
  named(_$jobs), named(_$execution), named(_$runsInContext), named(unownedExecutor)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// As `@Model`, for a class or an actor that had another name when stores were written: its objects stay. Ours, not Apple's.
///
/// ```swift
/// @Model(originalName: "Trip") final class Journey { … }  // was: @Model final class Trip
/// ```
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships),
  named(persistentBackingData), named(schemaMetadata),
  named(init),
  named(_$requireStorable),
  named(_$make), named(_$read), named(_$write), named(_$relate), named(_$decode), named(_$encode), named(access),
  named(withMutation), named(_SwiftDataNoType), named(_$Reference), named(_$first), named(_$propertyCount),
  named(_$keyPaths), named(_$Root),
  named(_$Fields), named(_$fields), named(_$fieldsPath), named(_$fieldKeyPaths), named(modelContext), named(hasChanges),
  named(isDeleted),
  named(_$jobs), named(_$execution), named(_$runsInContext), named(unownedExecutor)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model(originalName: String) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// Makes an actor one with a context of its own: it gets an executor, a container and `init(modelContainer:)`.
///
/// What the actor declares itself is left to it. A global actor also gets a static `modelContext`, for the classes and
/// functions that are isolated to it.
///
/// ```swift
/// @ModelActor @globalActor actor StoreActor {
///   static let shared = StoreActor(modelContainer: .app)
/// }
///
/// @StoreActor final class Selection {
///   var trip: Trip?
///   func selectFirst() throws { trip = try StoreActor.modelContext.fetch(FetchDescriptor<Trip>()).first }
/// }
/// ```
@attached(member, names: named(modelExecutor), named(modelContainer), named(init), named(modelContext))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelActorMacro")

/// As `@Model`, for a class that is isolated to a global actor whose name does not end in `Actor`.
///
/// A macro sees the source alone, and takes an attribute like `@MainActor` or `@StoreActor` for what it is by its name.
///
/// ```swift
/// @Model(isolatedTo: Storage.self) @Storage final class Trip { … }
/// ```
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships),
  named(persistentBackingData), named(schemaMetadata),
  named(init),
  named(_$requireStorable),
  named(_$make), named(_$read), named(_$write), named(_$relate), named(_$decode), named(_$encode), named(access),
  named(withMutation), named(_SwiftDataNoType), named(_$Reference), named(_$first), named(_$propertyCount),
  named(_$keyPaths), named(_$Root),
  named(_$Fields), named(_$fields), named(_$fieldsPath), named(_$fieldKeyPaths), named(modelContext), named(hasChanges),
  named(isDeleted),
  named(_$jobs), named(_$execution), named(_$runsInContext), named(unownedExecutor)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model<Isolation: GlobalActor>(isolatedTo globalActor: Isolation.Type) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// As `@Model(isolatedTo:)`, for a class that had another name when stores were written.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships),
  named(persistentBackingData), named(schemaMetadata),
  named(init),
  named(_$requireStorable),
  named(_$make), named(_$read), named(_$write), named(_$relate), named(_$decode), named(_$encode), named(access),
  named(withMutation), named(_SwiftDataNoType), named(_$Reference), named(_$first), named(_$propertyCount),
  named(_$keyPaths), named(_$Root),
  named(_$Fields), named(_$fields), named(_$fieldsPath), named(_$fieldKeyPaths), named(modelContext), named(hasChanges),
  named(isDeleted),
  named(_$jobs), named(_$execution), named(_$runsInContext), named(unownedExecutor)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model<Isolation: GlobalActor>(isolatedTo globalActor: Isolation.Type, originalName: String) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// Says more about an attribute: options, the name that it had before, and a word that makes its version differ.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// The spelling of the first beta: the options in an array.
@available(*, deprecated, message: "list the options without the array, as in @Attribute(.unique)")
@attached(peer)
public macro Attribute(
  _ options: [Schema.Attribute.Option], originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// Says more about a relationship: what happens to the other side on deletion, how many it may hold, and which property
/// of the other side it mirrors.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "RelationshipPropertyMacro")

/// The spelling of the first beta: the rule without its label.
@available(*, deprecated, message: "label the rule, as in @Relationship(deleteRule: .cascade)")
@attached(peer)
public macro Relationship(
  _ deleteRule: Schema.Relationship.DeleteRule, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
  originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "RelationshipPropertyMacro")

/// Leaves a property out of the store.
@attached(peer)
public macro Transient() = #externalMacro(module: "OpenSwiftDataMacros", type: "TransientPropertyMacro")

/// Says which properties together are unique; one array of key paths for each rule.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "UniqueConstraintsMacro")

/// Says which properties are looked up together, and by which kind of index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")

/// Says which properties are looked up together; one array of key paths for each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")

/// Turns a stored property into accessors over a typed slot. `@Model` adds it, with the property's position, which in a
/// class that may have a superclass is counted from the first property of its own, and with the property's place among
/// those that an initialiser has to set, where they tell when an object is complete.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// As `_PersistedProperty`, for a property that a value transformer stores.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _TransformablePersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")

/// As `_PersistedProperty`, for a property of a model that belongs to an actor.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$slot_), prefixed(_$observing_))
public macro _IsolatedPersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IsolatedPersistedPropertyMacro")

/// The twin of a constant of a model that belongs to an actor, for key paths.
@attached(peer, names: prefixed(_))
public macro _IsolatedConstant() = #externalMacro(module: "OpenSwiftDataMacros", type: "IsolatedConstantMacro")
