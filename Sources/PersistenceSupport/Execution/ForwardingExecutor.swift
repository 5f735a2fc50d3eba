import Foundation

extension _PersistenceRuntime {
  /// The executor of a model that is an actor. It forwards the model's jobs to the executor of the model's context.
  /// Before the model is inserted, it forwards them to a queue that all models without a context share.
  ///
  /// An actor keeps one executor for its whole lifetime, but a model may get its context later. All fetched models of a
  /// context share one forwarding executor. A new model has its own, which later forwards to the one of the context.
  public final class ForwardingExecutor: SerialExecutor {
    private enum Destination: Sendable {
      /// The model has no context yet, or its context was deallocated.
      case unbound
      case mainActor
      /// The executor of a context. Weak, because the executor owns the context, which may own the model.
      case executor(WeakExecutor)
      case execution(ForwardingExecutor)
    }

    private struct WeakExecutor: Sendable {
      weak let executor: (any SerialExecutor)?
    }

    private let destination: Lock<Destination>

    private init(_ destination: Destination) {
      self.destination = Lock(destination)
    }

    /// Creates the executor of a main context.
    package static func mainActor() -> ForwardingExecutor { ForwardingExecutor(.mainActor) }

    /// Creates the executor of a context that runs on a given executor.
    package convenience init(_ executor: any SerialExecutor) {
      self.init(.executor(WeakExecutor(executor: executor)))
    }

    /// The executor that all models without a context share.
    package static let unbound = ForwardingExecutor(.unbound)

    /// Creates the executor of a new model. While a row is decoded, returns ``unbound``: the context replaces it later.
    public static func _$new() -> _PersistenceRuntime.ForwardingExecutor {
      _PersistenceRuntime._$isDecoding() ? unbound : ForwardingExecutor(.unbound)
    }

    /// From now on, forwards jobs to another forwarding executor. Blocks until the running job of a model without a
    /// context has ended.
    package func follow(_ other: ForwardingExecutor) {
      guard !isSameExclusiveExecutionContext(other: other) else { return }
      DetachedModelQueue.shared.interrupt { destination.withLock { $0 = .execution(other) } }
    }

    /// Same as ``follow(_:)``, but has no effect if the jobs already run on a context's executor.
    package func followUnlessBound(_ other: ForwardingExecutor) {
      guard other !== self, isUnbound else { return }
      var executor = ResolvedExecutor.unbound
      DetachedModelQueue.shared.interrupt {
        destination.withLock {
          executor = Self.resolvedExecutor(of: $0)
          if case .unbound = executor { $0 = .execution(other) }
        }
      }
      // The executor is released after the locks: its deinit releases its context, which takes the locks.
      withExtendedLifetime(executor) {}
    }

    private static func resolvedExecutor(of destination: Destination) -> ResolvedExecutor {
      switch destination {
      case .unbound: .unbound
      case .mainActor: .mainActor
      case .executor(let reference): reference.executor.map { ResolvedExecutor.executor($0) } ?? .unbound
      case .execution(let other): other.resolvedExecutor
      }
    }

    /// From now on, forwards jobs to another executor of the same context.
    package func move(to executor: any SerialExecutor) {
      destination.withLock { $0 = .executor(WeakExecutor(executor: executor)) }
    }

    /// The last forwarding executor of the chain; ``unbound`` if the executor of the context was deallocated.
    private var root: ForwardingExecutor {
      switch destination.withLock({ $0 }) {
      case .unbound: .unbound
      case .mainActor: self
      case .executor(let reference): reference.executor == nil ? .unbound : self
      case .execution(let other): other.root
      }
    }

    /// The executor that currently runs jobs.
    package enum ResolvedExecutor: Sendable {
      case unbound
      case mainActor
      case executor(any SerialExecutor)
    }

    /// The executor on which the jobs currently run. The returned value retains it.
    package var resolvedExecutor: ResolvedExecutor { Self.resolvedExecutor(of: destination.withLock { $0 }) }

    /// Moves the jobs of a context that is being deallocated to another executor, so that none runs during its deinit.
    /// If a job is running on the queue of models without a context, blocks until it has ended.
    package func endOn(_ executor: any SerialExecutor) {
      DetachedModelQueue.shared.interrupt { move(to: executor) }
    }

    /// Called when the context was deallocated. From now on, its models run on the queue of models without a context.
    package func forgetExecutor() {
      destination.withLock { $0 = .unbound }
    }

    /// Whether the model's jobs run on the queue of models without a context.
    package var isUnbound: Bool {
      if case .unbound = resolvedExecutor { true } else { false }
    }

    /// True if the caller runs on the executor of the jobs. False if it does not, or if that executor cannot find out.
    package var isRunningHere: Bool {
      switch resolvedExecutor {
      case .unbound: DetachedModelQueue.shared.isRunningHere
      case .mainActor: MainQueue.isRunningHere
      case .executor(let executor): executor.isIsolatingCurrentContext() ?? false
      }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
      pass(UnownedJob(job))
    }

    /// Forwards a job to its destination.
    func pass(_ job: UnownedJob) {
      switch resolvedExecutor {
      case .unbound: DetachedModelQueue.shared.enqueue(job, of: self)
      case .mainActor: MainActor.shared.enqueue(job)
      case .executor(let executor): executor.enqueue(ExecutorJob(job))
      }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(complexEquality: self)
    }

    /// All models of a context belong to one isolation domain, so a job can switch between them without suspension.
    public func isSameExclusiveExecutionContext(other: _PersistenceRuntime.ForwardingExecutor) -> Bool {
      root === other.root
    }

    /// Traps if the caller is not on the executor of the jobs. Called by `assumeIsolated` and `preconditionIsolated`.
    public func checkIsolated() {
      switch resolvedExecutor {
      case .unbound: DetachedModelQueue.shared.checkIsolated()
      case .mainActor: MainActor.preconditionIsolated()
      case .executor(let executor): executor.checkIsolated()
      }
    }

    public func isIsolatingCurrentContext() -> Bool? {
      switch resolvedExecutor {
      case .unbound: DetachedModelQueue.shared.isRunningHere
      case .mainActor: nil
      case .executor(let executor): executor.isIsolatingCurrentContext()
      }
    }
  }
}

/// Runs code on a serial executor of the program.
package actor ContextRunner {
  private nonisolated let executor: any SerialExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init(_ executor: any SerialExecutor) {
    self.executor = executor
  }

  package func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try body()
  }
}
