import PersistenceRuntime

// API names of the SwiftData betas of 2023.

extension Schema.Attribute.Option {
  /// The first way to declare an index of a single property.
  @available(*, deprecated, message: "say #Index<Model>([\\.property]) in the model")
  public static var index: Schema.Attribute.Option { Schema.Attribute.Option(indexName) }

  /// The first way to exclude a property from the store.
  @available(
    *, deprecated, message: "mark the property with @Transient; or say .ephemeral if its changes are to be noticed"
  )
  public static var transient: Schema.Attribute.Option { .ephemeral }

  /// The first way to store a value as JSON if its type has no column format of its own.
  @available(*, deprecated, message: "say .codable; or .transformable(by:) with a transformer")
  public static var transformable: Schema.Attribute.Option { .codable }
}

extension VersionedSchema {
  /// The identifier of a version that declares none or, as in the betas, declares a string.
  ///
  /// Migrations between such versions work, because the schema of a store is recognised by its content. But the library
  /// does not recognise that a newer version of the program has written the store.
  @available(*, deprecated, message: "declare it: static let versionIdentifier = Schema.Version(1, 0, 0)")
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// An earlier form of ``Schema/Attribute`` in the property list of a model that is written without `@Model`.
///
/// - Parameter options: The storage options.
/// - Returns: The attribute.
// swift-format-ignore: AlwaysUseLowerCamelCase
@available(*, deprecated, message: "say Schema.Attribute(.unique), without the array")
public func Attribute(_ options: [Schema.Attribute.Option]) -> Schema.Attribute {
  Schema.Attribute(name: "", options: options, valueType: Any.self)
}

/// An earlier form of the macro that `@Model` adds to each stored property. It has no effect.
@available(*, deprecated, message: "leave it out: @Model adds what a property needs")
@attached(peer)
public macro PersistedProperty() = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")
