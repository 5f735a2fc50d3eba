import PersistenceContext
import PersistenceSupport

/// The strong reference of a container or an executor to its context. The reference is released where the context's
/// code runs.
///
/// A stored property would be released on the thread that runs the owner's `deinit`, which may be any thread. The
/// context would save there and release its models, while other code still uses them.
struct OwnedContext: @unchecked Sendable {
  // Unchecked and unmanaged: the owner retains the context in its initialiser and releases it with its only call of
  // `end`, in its deinit. Other threads touch only the reference count.
  private let reference: Unmanaged<ModelContext>

  init(_ context: ModelContext) {
    reference = .passRetained(context)
    context.stores.autosavingContexts.addOwner(of: ObjectIdentifier(context.autosave))
  }

  var context: ModelContext { reference.takeUnretainedValue() }

  // MARK: The main context

  /// Releases a main context on the main actor.
  func endOnMainActor(_ watched: ContextReference?) {
    guard !MainQueue.isRunningHere else { return release(watched) }
    Task { @MainActor in release(watched) }
  }

  // MARK: The context of a model actor

  /// Releases the context of an executor whose jobs ran on a queue.
  /// No job uses the context any more, because a job retains the executor. But a last autosave may have to run on the
  /// queue, and models that are actors may have jobs there.
  func end(in queue: JobQueue) {
    guard hasToEndThere, !queue.isRunningHere else { return release(nil) }
    let watched = watch()
    let successor = JobQueueExecutor(queue)
    let execution = leaveModels(to: successor)
    queue.run {
      release(watched)
      execution?.forgetExecutor()
      withExtendedLifetime(successor) {}
    }
  }

  /// Releases the context of an executor that forwarded its jobs.
  func end(on executor: any SerialExecutor) {
    guard hasToEndThere, executor.isIsolatingCurrentContext() != true else { return release(nil) }
    let watched = watch()
    let execution = leaveModels(to: executor)
    let runner = ContextRunner(executor)
    // The program's executor may never run a job again. So `close()` must not wait until this context is released.
    noteEnd()
    Task {
      await runner.run {
        giveUp(watched)
        execution?.forgetExecutor()
      }
    }
  }

  /// Returns true if releasing the context saves changes, or if jobs of models that are actors may still run.
  private var hasToEndThere: Bool {
    context.stores.hasActorModels || (context.autosaveEnabled && !context.pending.isEmpty)
  }

  private func watch() -> ContextReference? {
    guard context.autosaveEnabled, !context.stores.hasActorModels else { return nil }
    let reference = ContextReference(context)
    // Replaces the entry of the ``AutosaveMark``. Otherwise the end of the process would report the changes twice.
    EndOfProcess.shared.forget(context.autosave.mark)
    EndOfProcess.shared.watch(reference, left: context.pending)
    return reference
  }

  /// Moves the jobs of models that are actors to another executor, until the context is released.
  private func leaveModels(to executor: any SerialExecutor) -> ForwardingExecutor? {
    guard context.stores.hasActorModels, let execution = context.knownExecutor else { return nil }
    execution.endOn(executor)
    return execution
  }

  /// Releases the context, and resumes the tasks that wait for it.
  private func release(_ watched: ContextReference?) {
    noteEnd { giveUp(watched) }
  }

  /// Resumes the tasks that wait for the release of the context.
  ///
  /// - Parameter end: Code to run first, which may release the context.
  private func noteEnd(after end: () -> Void = {}) {
    let (stores, identifier) = (context.stores, ObjectIdentifier(context.autosave))
    end()
    stores.autosavingContexts.removeOwner(of: identifier)
  }

  private func giveUp(_ watched: ContextReference?) {
    reference.release()
    if let watched { EndOfProcess.shared.forget(watched) }
  }
}

/// Owns the main context of a container.
final class MainContextOwner: Sendable {
  private let owned: OwnedContext
  /// A weak reference to the context.
  let reference: ContextReference

  @MainActor
  init(_ context: ModelContext) {
    owned = OwnedContext(context)
    reference = ContextReference(context)
    EndOfProcess.shared.watch(reference)
  }

  deinit { owned.endOnMainActor(reference) }

  @MainActor
  var context: ModelContext { owned.context }
}

extension ModelContext {
  /// Creates a context of a container, without autosave. Apple's.
  ///
  /// The context may be used only by the actor or task that creates it.
  /// - Parameter container: The container. The context retains it.
  public convenience init(_ container: ModelContainer) {
    self.init(stores: container.stores, ownedHome: container)
  }

  /// Creates the main context of a container, which retains the context. The context does not retain the container.
  convenience init(ownedBy container: ModelContainer) {
    self.init(stores: container.stores, owningHome: container)
  }

  /// The container of the context. Apple's.
  public var container: ModelContainer {
    home as? ModelContainer ?? ModelContainer(stores: stores)
  }
}
