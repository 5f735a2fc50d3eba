import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Where the jobs of the context's actor models run; nil while nothing is known to run the context's own code.
  var execution: ForwardingExecutor? {
    if let knownExecutor { return knownExecutor.isUnbound ? nil : knownExecutor }
    guard isMain else { return nil }
    let execution = ForwardingExecutor.mainActor()
    knownExecutor = execution
    return execution
  }

  /// Learns what runs the code that uses the context. Of a main context that is known.
  package func noteExecutor(_ executor: any SerialExecutor) {
    guard !isMain else { return }
    if let knownExecutor {
      guard knownExecutor.isUnbound else { return }
      knownExecutor.move(to: executor)
      autosave.forgetCall()
    } else {
      knownExecutor = ForwardingExecutor(executor)
    }
    // What was changed before is to be saved there too.
    startAutosaveTimer()
  }

  /// Refuses actor models in a context of which nobody knows where it is used: their jobs would run beside it.
  package func requireExecution(for entity: EntityLayout) throws {
    if entity.runsInContext, execution == nil { throw executionMissing(entity) }
  }

  func executionMissing(_ entity: EntityLayout) -> SwiftDataError {
    SwiftDataError(
      .executorMissing,
      "\(entity.name) is an actor, and runs where its context does, but nothing runs this context; use that of a model "
        + "actor, the main context, or make a DefaultSerialModelExecutor of the context")
  }

  /// Lets a new model run where the context does, before anything of it is looked at: a job of it may be running.
  func takeOverJobs<T: PersistentModel>(of model: T) {
    guard T._$runsInContext, let execution, stores.layout(of: T.self) != nil else { return }
    model._$execution?.followUnlessBound(execution)
  }

  /// Lets a new model run where the context does. False when the context has no such place.
  func bind<T: PersistentModel>(_ model: T) -> Bool {
    guard let execution else { return false }
    model._$execution?.follow(execution)
    return true
  }
}

extension RowReader {
  /// Where the jobs of the row's model run, when it is an actor. Generated initialisers ask for it.
  public var execution: _PersistenceRuntime.ForwardingExecutor {
    session.identityMap.context?.execution ?? .unbound
  }
}
