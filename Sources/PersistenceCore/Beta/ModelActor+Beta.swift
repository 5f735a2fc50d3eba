// As the betas of 2023 spelled it.

@available(*, deprecated, renamed: "DefaultSerialModelExecutor")
public typealias DefaultModelExecutor = DefaultSerialModelExecutor

extension DefaultSerialModelExecutor {
  /// The first spelling of ``init(modelContext:)``.
  @available(*, deprecated, renamed: "init(modelContext:)")
  public convenience init(context: ModelContext) {
    self.init(modelContext: context)
  }
}

extension ModelExecutor {
  /// The first spelling of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}

extension ModelActor {
  /// The first spelling of ``modelExecutor``.
  @available(*, deprecated, renamed: "modelExecutor")
  @_disfavoredOverload
  public nonisolated var executor: any ModelExecutor { modelExecutor }

  /// The first spelling of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}
