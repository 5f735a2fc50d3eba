import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The executor of the context's actor models; nil without a known executor of the context.
  var execution: ForwardingExecutor? {
    if let knownExecutor { return knownExecutor.isUnbound ? nil : knownExecutor }
    guard isMain else { return nil }
    let execution = ForwardingExecutor.mainActor()
    knownExecutor = execution
    return execution
  }

  /// Remembers the executor of the context's code. That of a main context is known.
  package func noteExecutor(_ executor: any SerialExecutor) {
    guard !isMain else { return }
    if let knownExecutor {
      guard knownExecutor.isUnbound else { return }
      knownExecutor.move(to: executor)
      autosave.forgetCall()
    } else {
      knownExecutor = ForwardingExecutor(executor)
    }
    // Changes from before are saved there too.
    startAutosaveTimer()
  }

  /// - Throws: If the entity is an actor and the context has no known executor: its jobs would run concurrently with
  ///   the context.
  package func requireExecution(for entity: EntityLayout) throws {
    if entity.runsInContext, execution == nil { throw executionMissing(entity) }
  }

  func executionMissing(_ entity: EntityLayout) -> SwiftDataError {
    SwiftDataError(
      .executorMissing,
      "\(entity.name) is an actor, and runs where its context does, but nothing runs this context; use that of a model "
        + "actor, the main context, or make a DefaultSerialModelExecutor of the context")
  }

  /// Moves the jobs of a new actor model to the context's executor before the model is used here.
  func takeOverJobs<T: PersistentModel>(of model: T) {
    guard T._$runsInContext, let execution, stores.layout(of: T.self) != nil else { return }
    model._$execution?.followUnlessBound(execution)
  }

  /// Binds a new actor model to the context's executor; false without one.
  func bind<T: PersistentModel>(_ model: T) -> Bool {
    guard let execution else { return false }
    model._$execution?.follow(execution)
    return true
  }
}

extension RowReader {
  /// The executor of the row's model, if it is an actor. For generated code.
  public var execution: _PersistenceRuntime.ForwardingExecutor {
    session.identityMap.context?.execution ?? .unbound
  }
}
