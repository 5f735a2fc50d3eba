// As the betas of 2023 spelled it. What is unavailable is never called: it is chosen where a conformance lacks today's name,
// and gives the message.

import PersistenceContainer
import PersistenceContext

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
  /// Is here to say what an executor that declares its context as ``context`` lacks.
  @available(*, unavailable, message: "name the context of the executor 'modelContext', which was 'context'")
  public var modelContext: ModelContext { fatalError("there is no executor without a context") }

  /// The first spelling of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}

extension ModelActor {
  /// Is here to say what an actor that declares its executor as ``executor`` lacks.
  @available(
    *, unavailable,
    message: "name the executor of the actor 'modelExecutor', which was 'executor'; or let '@ModelActor' write it"
  )
  public nonisolated var modelExecutor: any ModelExecutor { fatalError("there is no model actor without an executor") }

  /// The container of an actor that declares its executor alone, as in the betas.
  @available(*, deprecated, message: "declare it: nonisolated let modelContainer: ModelContainer")
  public nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  /// The first spelling of ``modelExecutor``.
  @available(*, deprecated, renamed: "modelExecutor")
  @_disfavoredOverload
  public nonisolated var executor: any ModelExecutor { modelExecutor }

  /// The first spelling of ``modelContext``.
  @available(*, deprecated, renamed: "modelContext")
  @_disfavoredOverload
  public var context: ModelContext { modelContext }
}
