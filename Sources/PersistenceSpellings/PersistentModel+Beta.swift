// As the betas of 2023 spelled it. A model that has properties of these names is not concerned.

import PersistenceContext
import PersistenceRuntime

extension PersistentModel {
  /// The first spelling of ``persistentModelID``.
  @available(*, deprecated, renamed: "persistentModelID")
  @_disfavoredOverload
  public var objectID: PersistentIdentifier { persistentModelID }

  /// The first spelling of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext? { modelContext }

  /// The first spelling of ``persistentBackingData``.
  @available(*, deprecated, renamed: "persistentBackingData")
  @_disfavoredOverload
  public var backingData: any BackingData<Self> {
    get { persistentBackingData }
    set { persistentBackingData = newValue }
  }
}

// What a model lacks that is written by hand as it was in the betas. Never called: it is chosen where a conformance lacks
// today's name, and gives the message.

extension PersistentModel {
  /// Is here to say what a model that declares ``backingData`` lacks.
  @available(
    *, unavailable, message: "name the backing data of the model 'persistentBackingData', which was 'backingData'"
  )
  public var persistentBackingData: any BackingData<Self> {
    get { fatalError("there is no model without backing data") }
    set { fatalError("there is no model without backing data") }
  }

  /// Is here to say what a model lacks that lists its properties in a function.
  @available(
    *, unavailable,
    message:
      "list the properties of the model in 'static var schemaMetadata: [Schema.PropertyMetadata]'; it was a function"
  )
  public static var schemaMetadata: [Schema.PropertyMetadata] { fatalError("there is no model without properties") }
}
