// As the betas of 2023 spelled it. A model that has properties of these names is not concerned.

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
