// API names of the SwiftData betas of 2023. A model's own properties of these names take precedence.

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

// Default implementations that never run. The compiler chooses them if a hand-written model lacks the current name, and
// shows their message.

extension PersistentModel {
  /// Diagnoses a model that declares ``backingData``.
  @available(
    *, unavailable, message: "name the backing data of the model 'persistentBackingData', which was 'backingData'"
  )
  public var persistentBackingData: any BackingData<Self> {
    get { fatalError("there is no model without backing data") }
    set { fatalError("there is no model without backing data") }
  }

  /// Diagnoses a model that lists its properties in a function.
  @available(
    *, unavailable,
    message:
      "list the properties of the model in 'static var schemaMetadata: [Schema.PropertyMetadata]'; it was a function"
  )
  public static var schemaMetadata: [Schema.PropertyMetadata] { fatalError("there is no model without properties") }
}
