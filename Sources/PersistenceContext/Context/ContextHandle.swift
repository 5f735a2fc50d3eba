import PersistenceSupport

/// The way to a context for code that runs elsewhere: a timer, or the end of a container.
///
/// It keeps neither the context nor the executor of its code alive.
struct ContextHandle: Sendable {
  private let reference: ContextReference
  private let execution: ForwardingExecutor

  /// Nil for a context of which nothing is known to run its code.
  init?(of context: ModelContext) {
    guard let execution = context.execution else { return nil }
    self.execution = execution
    reference = ContextReference(context)
  }

  /// Runs code with the context, where the context's own code runs. Nil when the context or its executor is gone.
  func run<Result: Sendable>(_ body: @Sendable (ModelContext) throws -> Result) async rethrows -> Result? {
    let reference = reference
    switch execution.home {
    case .unbound:
      return nil
    case .mainActor:
      return try await MainActor.run { try reference.context.map(body) }
    case .executor(let executor):
      return try await ContextRunner(executor).run { try reference.context.map(body) }
    }
  }
}

/// Carries a context to where it is used.
package final class ContextReference: @unchecked Sendable {
  // Unchecked: the reference is made where the context is used and looked at there; what is weak may be let go anywhere.
  package weak var context: ModelContext?

  package init(_ context: ModelContext) {
    self.context = context
  }
}

/// Runs code on an executor of the program.
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
