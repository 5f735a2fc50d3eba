import Observation

/// Makes a class or an actor persistent: its stored properties become the attributes and relationships of an entity.
/// Apple's; models that are actors are ours.
///
/// The class needs an initialiser. Properties may have any access level, property observers and default values. A `let`
/// property is stored unless it has a default. After a model is inserted into a context, use the model only on the
/// actor or thread on which its context is used.
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
  named(_$marksInitialRelationships), named(_$backingData), named(_$placeInitialValues), named(_$observationRegistrar),
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

/// Makes a class or an actor persistent that earlier versions of the schema declared with another name. Ours.
///
/// The migration of an existing store renames the table and keeps its rows.
///
/// ```swift
/// @Model(originalName: "Trip") final class Journey { … }  // was: @Model final class Trip
/// ```
/// - Parameter originalName: The former name of the entity.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships), named(_$backingData), named(_$placeInitialValues), named(_$observationRegistrar),
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

/// Makes an actor a model actor: it gets an executor, a container and `init(modelContainer:)`. Apple's.
///
/// Members that the actor declares itself are not generated. A global actor also gets a static property `modelContext`,
/// which is ours. Classes and functions that are isolated to the actor can use this context.
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

/// Makes a class persistent that is isolated to a global actor whose name does not end in `Actor`. Ours.
///
/// A macro sees only the source text, so `@Model` recognises an attribute as a global actor only by the ending `Actor`.
///
/// ```swift
/// @Model(isolatedTo: Storage.self) @Storage final class Trip { … }
/// ```
/// - Parameter globalActor: The global actor of the class.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships), named(_$backingData), named(_$placeInitialValues), named(_$observationRegistrar),
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

/// Makes a class persistent that is isolated to a global actor whose name does not end in `Actor`, and that earlier
/// versions of the schema declared with another name. Ours.
///
/// - Parameters:
///   - globalActor: The global actor of the class.
///   - originalName: The former name of the entity.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$modelState), named(_$state), named(_$stateOffset), named(_$required), named(_$isGenerated),
  named(_$ownState), named(_$ownOffset), named(_$ownRequired),
  named(_$marksInitialRelationships), named(_$backingData), named(_$placeInitialValues), named(_$observationRegistrar),
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

/// Sets the options of an attribute. Apple's.
///
/// ```swift
/// @Attribute(.unique, originalName: "title") var name: String
/// ```
/// - Parameters:
///   - options: The options, such as `.unique` or `.externalStorage`.
///   - originalName: The name of the property in earlier versions of the schema.
///   - hashModifier: A text that distinguishes versions of the schema whose attributes are otherwise equal.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// The older form of `@Attribute`, which takes the options as an array. Apple's.
///
/// - Parameters:
///   - options: The options.
///   - originalName: The name of the property in earlier versions of the schema.
///   - hashModifier: A text that distinguishes versions of the schema whose attributes are otherwise equal.
@available(*, deprecated, message: "list the options without the array, as in @Attribute(.unique)")
@attached(peer)
public macro Attribute(
  _ options: [Schema.Attribute.Option], originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// Sets the delete rule, the counts and the inverse of a relationship. Apple's.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
/// ```
/// - Parameters:
///   - options: The options.
///   - deleteRule: The effect of deleting this model on the related models.
///   - minimumModelCount: The minimum number of related models, checked by a save.
///   - maximumModelCount: The maximum number of related models, checked by a save; 0 for no maximum.
///   - originalName: The name of the property in earlier versions of the schema.
///   - inverse: The property of the other model that refers to this model.
///   - hashModifier: A text that distinguishes versions of the schema whose relationships are otherwise equal.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "RelationshipPropertyMacro")

/// The older form of `@Relationship`, in which the delete rule has no label. Apple's.
///
/// - Parameters:
///   - deleteRule: The effect of deleting this model on the related models.
///   - minimumModelCount: The minimum number of related models, checked by a save.
///   - maximumModelCount: The maximum number of related models, checked by a save; 0 for no maximum.
///   - originalName: The name of the property in earlier versions of the schema.
///   - inverse: The property of the other model that refers to this model.
///   - hashModifier: A text that distinguishes versions of the schema whose relationships are otherwise equal.
@available(*, deprecated, message: "label the rule, as in @Relationship(deleteRule: .cascade)")
@attached(peer)
public macro Relationship(
  _ deleteRule: Schema.Relationship.DeleteRule, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
  originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "RelationshipPropertyMacro")

/// Excludes a property from the store. Apple's.
@attached(peer)
public macro Transient() = #externalMacro(module: "OpenSwiftDataMacros", type: "TransientPropertyMacro")

/// Declares combinations of properties that are unique. Apple's.
///
/// ```swift
/// #Unique<Trip>([\.name], [\.country, \.start])
/// ```
/// - Parameter constraints: One array of key paths for each constraint.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "UniqueConstraintsMacro")

/// Declares indexes and their kinds. Apple's.
///
/// ```swift
/// #Index<Pin>(.binary([\.name]), .rtree([\.latitude, \.longitude]))
/// ```
/// - Parameter indices: The kind and the properties of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")

/// Declares indexes. Apple's.
///
/// ```swift
/// #Index<Trip>([\.name], [\.country, \.start])
/// ```
/// - Parameter indices: One array of key paths for each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")

/// Turns a stored property into a computed one that uses a generated variable, the slot. `@Model` adds this macro to
/// properties.
///
/// - Parameters:
///   - position: The position of the property. In a class that may have a superclass, the position is relative to the
///     first property of the class itself.
///   - inherits: Whether the class may have a superclass.
///   - required: The index of the property among the properties that an initialiser has to set.
///   - of: The number of properties that an initialiser has to set; 0 if generated code cannot detect when the last of
///     them is set.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// `_PersistedProperty` for a property with a value transformer. For generated code.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _TransformablePersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")

/// `_PersistedProperty` for a property of a model that is isolated to an actor. For generated code.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$slot_), prefixed(_$observing_))
public macro _IsolatedPersistedProperty(
  _ position: Int = 0, inherits: Bool = false, required: Int = 0, of: Int = 0
) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IsolatedPersistedPropertyMacro")

/// For a constant `name` of an isolated model, adds a nonisolated computed property `_name`, which key paths use. For
/// generated code.
@attached(peer, names: prefixed(_))
public macro _IsolatedConstant() = #externalMacro(module: "OpenSwiftDataMacros", type: "IsolatedConstantMacro")
