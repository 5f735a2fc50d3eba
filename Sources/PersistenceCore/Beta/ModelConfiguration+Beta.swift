// As the betas of 2023 spelled it.

extension ModelConfiguration {
  /// The first spelling of ``init(isStoredInMemoryOnly:)``.
  @available(*, deprecated, renamed: "init(isStoredInMemoryOnly:)")
  public init(inMemory: Bool) {
    self.init(isStoredInMemoryOnly: inMemory)
  }

  /// The first spelling of ``init(for:isStoredInMemoryOnly:)``.
  @available(*, deprecated, renamed: "init(for:isStoredInMemoryOnly:)")
  @_disfavoredOverload
  public init(for forTypes: any PersistentModel.Type..., inMemory: Bool) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: inMemory)
  }

  /// The first way to open a store that may not change.
  @available(*, deprecated, message: "say allowsSave, which is the opposite")
  public init(readOnly: Bool) {
    self.init(nil, allowsSave: !readOnly)
  }
}
