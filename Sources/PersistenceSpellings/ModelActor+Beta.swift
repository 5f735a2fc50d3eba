// API names of the SwiftData betas of 2023. The unavailable members never run. If a program still uses an old name for
// a requirement of a protocol, the compiler chooses the unavailable member and reports its message as an error.

import PersistenceContainer
import PersistenceContext

/// An earlier form of ``DefaultSerialModelExecutor``.
@available(*, deprecated, renamed: "DefaultSerialModelExecutor")
public typealias DefaultModelExecutor = DefaultSerialModelExecutor

extension DefaultSerialModelExecutor {
  /// An earlier form of ``init(modelContext:)``.
  ///
  /// - Parameter context: The context that the executor retains and that its jobs use.
  @available(*, deprecated, renamed: "init(modelContext:)")
  public convenience init(context: ModelContext) {
    self.init(modelContext: context)
  }
}

extension ModelExecutor {
  /// Makes the compiler report an error for an executor that still declares its context as ``context``.
  @available(*, unavailable, message: "name the context of the executor 'modelContext', which was 'context'")
  public var modelContext: ModelContext { fatalError("there is no executor without a context") }

  /// An earlier form of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}

extension ModelActor {
  /// Makes the compiler report an error for an actor that still declares its executor as ``executor``.
  @available(
    *, unavailable,
    message: "name the executor of the actor 'modelExecutor', which was 'executor'; or let '@ModelActor' write it"
  )
  public nonisolated var modelExecutor: any ModelExecutor { fatalError("there is no model actor without an executor") }

  /// The container of an actor that declares only its executor, which was sufficient in the betas.
  @available(*, deprecated, message: "declare it: nonisolated let modelContainer: ModelContainer")
  public nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  /// An earlier form of ``modelExecutor``.
  @available(*, deprecated, renamed: "modelExecutor")
  @_disfavoredOverload
  public nonisolated var executor: any ModelExecutor { modelExecutor }

  /// An earlier form of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}
