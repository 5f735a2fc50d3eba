// API names of the SwiftData betas of 2023. If a model declares a property with one of these names, its property is
// used.

import PersistenceContext
import PersistenceRuntime

extension PersistentModel {
  /// An earlier form of ``persistentModelID``.
  @available(*, deprecated, renamed: "persistentModelID")
  @_disfavoredOverload
  public var objectID: PersistentIdentifier { persistentModelID }

  /// An earlier form of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext? { modelContext }

  /// An earlier form of ``persistentBackingData``.
  @available(*, deprecated, renamed: "persistentBackingData")
  @_disfavoredOverload
  public var backingData: any BackingData<Self> {
    get { persistentBackingData }
    set { persistentBackingData = newValue }
  }
}

// These members never run. If a model without `@Model` still uses an old name for a requirement of the protocol, the
// compiler chooses the unavailable member and reports its message as an error.

extension PersistentModel {
  /// Makes the compiler report an error for a model that still declares ``backingData``.
  @available(
    *, unavailable, message: "name the backing data of the model 'persistentBackingData', which was 'backingData'"
  )
  public var persistentBackingData: any BackingData<Self> {
    get { fatalError("there is no model without backing data") }
    set { fatalError("there is no model without backing data") }
  }

  /// Makes the compiler report an error for a model that still lists its properties in a function.
  @available(
    *, unavailable,
    message:
      "list the properties of the model in 'static var schemaMetadata: [Schema.PropertyMetadata]'; it was a function"
  )
  public static var schemaMetadata: [Schema.PropertyMetadata] { fatalError("there is no model without properties") }
}
