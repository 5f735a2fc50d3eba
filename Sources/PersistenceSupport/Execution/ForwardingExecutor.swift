import Foundation

extension _PersistenceRuntime {
  /// The executor of a model that is an actor. It forwards jobs to the executor of the model's context, or, before the
  /// model is inserted, to a queue that all such models share.
  ///
  /// An actor has one executor for its whole lifetime, but a model gets its context later. Fetched models share the
  /// forwarding executor of their context. A new model has its own, which later forwards to that of its context.
  public final class ForwardingExecutor: SerialExecutor {
    private enum Destination: Sendable {
      /// The model has no context yet, or its context was deallocated.
      case unbound
      case mainActor
      /// The executor of a context. Weak, because it owns the context, which may own the model.
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

    /// The executor that models without a context share.
    package static let unbound = ForwardingExecutor(.unbound)

    /// Creates the executor of a new model. A model decoded from a row gets the context's executor later.
    public static func _$new() -> _PersistenceRuntime.ForwardingExecutor {
      _PersistenceRuntime._$isDecoding() ? unbound : ForwardingExecutor(.unbound)
    }

    /// Forwards jobs to the destination of another executor from now on. Blocks until the running job of a model
    /// without a context ends.
    package func follow(_ other: ForwardingExecutor) {
      guard !isSameExclusiveExecutionContext(other: other) else { return }
      DetachedModelQueue.shared.interrupt { destination.withLock { $0 = .execution(other) } }
    }

    /// Same as ``follow(_:)``, unless the jobs already run with a context.
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

    /// Forwards jobs to another executor of the same context.
    package func move(to executor: any SerialExecutor) {
      destination.withLock { $0 = .executor(WeakExecutor(executor: executor)) }
    }

    /// The last executor of the chain; ``unbound`` if the executor of the context was deallocated.
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

    /// The executor of the context's code. The returned value retains it.
    package var resolvedExecutor: ResolvedExecutor { Self.resolvedExecutor(of: destination.withLock { $0 }) }

    /// Replaces the executor of a context that is being deallocated, so that jobs of its models stay serialised with
    /// the deinitialisation. Blocks until the running job of a model whose executor was deallocated ends.
    package func endOn(_ executor: any SerialExecutor) {
      DetachedModelQueue.shared.interrupt { move(to: executor) }
    }

    /// Called when the context is deallocated: its models run in the queue of models without a context.
    package func forgetExecutor() {
      destination.withLock { $0 = .unbound }
    }

    /// Whether the model's jobs run in the queue of models without a context.
    package var isUnbound: Bool {
      if case .unbound = resolvedExecutor { true } else { false }
    }

    /// Whether the caller runs on the executor of the jobs, as far as that executor can determine.
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

    /// Models of one context share an isolation domain, so a job may switch between them without suspension.
    public func isSameExclusiveExecutionContext(other: _PersistenceRuntime.ForwardingExecutor) -> Bool {
      root === other.root
    }

    /// Traps outside of the executor of the model's jobs. Implements `assumeIsolated` and `preconditionIsolated`.
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
