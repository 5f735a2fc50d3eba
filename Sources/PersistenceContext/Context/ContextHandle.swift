import PersistenceSupport

/// A weak reference to a context with the executor of its code, for code on other threads: timers, and closing a
/// container.
struct ContextHandle: Sendable {
  private let reference: ContextReference
  private let execution: ForwardingExecutor

  /// Nil for a context without a known executor.
  init?(of context: ModelContext) {
    guard let execution = context.execution else { return nil }
    self.execution = execution
    reference = ContextReference(context)
  }

  /// Runs code with the context, on the context's executor. Nil if the context or its executor is gone.
  func run<Result: Sendable>(_ body: @Sendable (ModelContext) throws -> Result) async rethrows -> Result? {
    let reference = reference
    switch execution.resolvedExecutor {
    case .unbound:
      return nil
    case .mainActor:
      return try await MainActor.run { try reference.context.map(body) }
    case .executor(let executor):
      return try await ContextRunner(executor).run { try reference.context.map(body) }
    }
  }
}

/// A weak reference to a context that may be sent to the context's executor.
package final class ContextReference: @unchecked Sendable {
  // Unchecked: the reference is created and read only where the context is used. Releasing a weak reference is
  // thread-safe.
  package weak var context: ModelContext?

  package init(_ context: ModelContext) {
    self.context = context
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
