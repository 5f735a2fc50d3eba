import Foundation

extension _PersistenceRuntime {
  /// Where the jobs of a model run that is an actor: with those of its context, or, before it is inserted, in a queue that
  /// all such models share.
  ///
  /// An actor must have one executor for its whole life, but a model gets its context later. So this is the executor, and
  /// passes the jobs on. Models that are fetched share the one of their context; each new model has its own, which follows
  /// the context's from the insertion on.
  public final class ForwardingExecutor: SerialExecutor {
    private enum Destination: Sendable {
      /// No context yet, or none any more.
      case unbound
      case mainActor
      /// The executor of a context. Not owned: it owns the context, which may own the model.
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

    /// The one of a main context.
    package static func mainActor() -> ForwardingExecutor { ForwardingExecutor(.mainActor) }

    /// The one of a context that an executor has.
    package convenience init(_ executor: any SerialExecutor) {
      self.init(.executor(WeakExecutor(executor: executor)))
    }

    /// The one of models without a context.
    package static let unbound = ForwardingExecutor(.unbound)

    /// The one of a new model. A model that is made of a row gets its context's instead.
    public static func _$new() -> _PersistenceRuntime.ForwardingExecutor {
      _PersistenceRuntime._$isDecoding() ? unbound : ForwardingExecutor(.unbound)
    }

    /// Runs jobs where another execution does, from now on. Waits for the job that is running of a model without a context.
    package func follow(_ other: ForwardingExecutor) {
      guard !isSameExclusiveExecutionContext(other: other) else { return }
      DetachedModelQueue.shared.interrupt { destination.withLock { $0 = .execution(other) } }
    }

    /// As ``follow(_:)``, unless the jobs run with a context already.
    package func followUnlessBound(_ other: ForwardingExecutor) {
      guard other !== self, isUnbound else { return }
      DetachedModelQueue.shared.interrupt {
        destination.withLock { if Self.isUnbound($0) { $0 = .execution(other) } }
      }
    }

    private static func isUnbound(_ destination: Destination) -> Bool {
      switch destination {
      case .unbound: true
      case .mainActor: false
      case .executor(let reference): reference.executor == nil
      case .execution(let other): other.isUnbound
      }
    }

    /// Takes another executor of the same context.
    package func move(to executor: any SerialExecutor) {
      destination.withLock { $0 = .executor(WeakExecutor(executor: executor)) }
    }

    /// The execution at the end of the way, and the executor of its context, if it still has one.
    private var target: (root: ForwardingExecutor, place: Place) {
      switch destination.withLock({ $0 }) {
      case .unbound: (ForwardingExecutor.unbound, .unbound)
      case .mainActor: (self, .mainActor)
      case .executor(let reference):
        reference.executor.map { (self, .executor($0)) } ?? (ForwardingExecutor.unbound, .unbound)
      case .execution(let other): other.target
      }
    }

    package enum Place: Sendable {
      case unbound
      case mainActor
      case executor(any SerialExecutor)
    }

    /// Where the code of the context runs, which is there as long as the answer is kept.
    package var home: Place { target.place }

    /// Takes another executor of the same context for its end, with which jobs of the models still take turns. Waits for the
    /// job that is running of a model that found no executor any more.
    package func endOn(_ executor: any SerialExecutor) {
      DetachedModelQueue.shared.interrupt { move(to: executor) }
    }

    /// The context has ended: its models run with others that have none.
    package func forgetExecutor() {
      destination.withLock { $0 = .unbound }
    }

    /// Whether no executor has the context of the model.
    package var isUnbound: Bool { Self.isUnbound(destination.withLock { $0 }) }

    /// Whether the code that asks runs where the jobs do, as far as their executor can say.
    package var isRunningHere: Bool {
      switch target.place {
      case .unbound: DetachedModelQueue.shared.isRunningHere
      case .mainActor: MainQueue.isRunningHere
      case .executor(let executor): executor.isIsolatingCurrentContext() ?? false
      }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
      pass(UnownedJob(job))
    }

    /// Passes a job on to where it is to run.
    func pass(_ job: UnownedJob) {
      switch target.place {
      case .unbound: DetachedModelQueue.shared.enqueue(job, of: self)
      case .mainActor: MainActor.shared.enqueue(job)
      case .executor(let executor): executor.enqueue(ExecutorJob(job))
      }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(complexEquality: self)
    }

    /// Jobs of models of one context may go on in each other's place.
    public func isSameExclusiveExecutionContext(other: _PersistenceRuntime.ForwardingExecutor) -> Bool {
      target.root === other.target.root
    }

    /// Ends the program when the caller does not run where the model's jobs do, for `assumeIsolated` and
    /// `preconditionIsolated`.
    public func checkIsolated() {
      switch target.place {
      case .unbound: DetachedModelQueue.shared.checkIsolated()
      case .mainActor: MainActor.preconditionIsolated()
      case .executor(let executor): executor.checkIsolated()
      }
    }

    public func isIsolatingCurrentContext() -> Bool? {
      switch target.place {
      case .unbound: DetachedModelQueue.shared.isRunningHere
      case .mainActor: nil
      case .executor(let executor): executor.isIsolatingCurrentContext()
      }
    }
  }
}
