// As the betas of 2023 spelled it.

import PersistenceRuntime

extension Schema.Attribute.Option {
  /// An index over the property alone.
  @available(*, deprecated, message: "say #Index<Model>([\\.property]) in the model")
  public static var index: Schema.Attribute.Option { Schema.Attribute.Option(indexName) }

  /// The first way to leave a property out of the store.
  @available(
    *, deprecated, message: "mark the property with @Transient; or say .ephemeral if its changes are to be noticed"
  )
  public static var transient: Schema.Attribute.Option { .ephemeral }

  /// The first way to store a value that is none of the store's own.
  @available(*, deprecated, message: "say .codable; or .transformable(by:) with a transformer")
  public static var transformable: Schema.Attribute.Option { .codable }
}

extension VersionedSchema {
  /// What stands for the number of a version that declares none, or declares a text as the betas did.
  ///
  /// Stores are told apart by the content of their schemas, so that such versions can be migrated between; a store that is
  /// newer than the program is not recognised as such.
  @available(*, deprecated, message: "declare it: static let versionIdentifier = Schema.Version(1, 0, 0)")
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// The first spelling of ``Schema/Attribute``, for what a model that is written by hand lists.
// swift-format-ignore: AlwaysUseLowerCamelCase
@available(*, deprecated, message: "say Schema.Attribute(.unique), without the array")
public func Attribute(_ options: [Schema.Attribute.Option]) -> Schema.Attribute {
  Schema.Attribute(name: "", options: options, valueType: Any.self)
}
