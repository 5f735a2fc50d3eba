import PersistenceContext
import PersistenceSupport

/// The reference by which a container or an executor keeps its context, given up where the code of the context runs.
///
/// A stored property would be released on the thread on which its owner dies, which may be any. The context would save and
/// let go of its models there, beside the code that uses them.
struct OwnedContext: @unchecked Sendable {
  // Unchecked and unmanaged: the owner takes the one reference when it is made, and gives it up with its only call of
  // `end`, in its deinit. Until then the context lives. Others than its own code only count references to it.
  private let reference: Unmanaged<ModelContext>

  init(_ context: ModelContext) {
    reference = .passRetained(context)
    context.stores.autosavingContexts.addOwner(of: ObjectIdentifier(context.autosave))
  }

  var context: ModelContext { reference.takeUnretainedValue() }

  // MARK: The main context

  /// Gives up a main context, on the main actor.
  func endOnMainActor(_ watched: ContextReference?) {
    guard !MainQueue.isRunningHere else { return release(watched) }
    Task { @MainActor in release(watched) }
  }

  // MARK: The context of a model actor

  /// Gives up the context of an executor whose jobs ran in a queue.
  ///
  /// Nobody runs code with it any more: the jobs of the queue kept the executor. Only what the end itself does has to be
  /// there, and models that are actors have jobs of their own.
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

  /// Gives up the context of an executor whose jobs another one ran.
  func end(on executor: any SerialExecutor) {
    guard hasToEndThere, executor.isIsolatingCurrentContext() != true else { return release(nil) }
    let watched = watch()
    let execution = leaveModels(to: executor)
    let runner = ContextRunner(executor)
    // Closing does not wait for it: the program's executor may never run anything again.
    noteEnd()
    Task {
      await runner.run {
        giveUp(watched)
        execution?.forgetExecutor()
      }
    }
  }

  /// Whether the end saves, or models that are actors may be running.
  private var hasToEndThere: Bool {
    context.stores.hasActorModels || (context.autosaveEnabled && !context.pending.isEmpty)
  }

  private func watch() -> ContextReference? {
    guard context.autosaveEnabled, !context.stores.hasActorModels else { return nil }
    let reference = ContextReference(context)
    // What it has left is known from here on, and said once.
    EndOfProcess.shared.forget(context.autosave.mark)
    EndOfProcess.shared.watch(reference, left: context.pending)
    return reference
  }

  /// Lets models that are actors run there until the end.
  private func leaveModels(to executor: any SerialExecutor) -> ForwardingExecutor? {
    guard context.stores.hasActorModels, let execution = context.knownExecutor else { return nil }
    execution.endOn(executor)
    return execution
  }

  /// Gives the context up, and lets those go on who wait for that.
  private func release(_ watched: ContextReference?) {
    noteEnd { giveUp(watched) }
  }

  /// Lets those go on who wait for the context to go.
  ///
  /// - Parameter end: What has to be done first, after which there may be no context.
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

/// Keeps the main context of a container.
final class MainContextOwner: Sendable {
  private let owned: OwnedContext
  /// The way to the context.
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
