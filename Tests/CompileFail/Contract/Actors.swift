import Foundation
import SwiftData

// MARK: 7 Concurrency

// use: ModelActor
// use: ModelActor: Actor
// use: ModelActor.modelContainer
// use: ModelActor.modelExecutor
actor OwnActor: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }
}

func executor<A: ModelActor>(of actor: A) {
  let _: UnownedSerialExecutor = actor.unownedExecutor  // use: ModelActor.unownedExecutor
}

func actors<A: ModelActor>(_ actor: isolated A, _ identifier: PersistentIdentifier) {
  let _: ModelContext = actor.modelContext  // use: ModelActor.modelContext
  let _: Trip? = actor[identifier, as: Trip.self]  // use: ModelActor.subscript(_:as:)
}

// use: ModelExecutor
// use: ModelExecutor: Executor
// use: ModelExecutor.modelContext
// use: SerialModelExecutor
// use: SerialModelExecutor: SerialExecutor
final class OwnExecutor: SerialModelExecutor, ModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext
  init(modelContext: ModelContext) { self.modelContext = modelContext }
  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
  func executors() -> [any Executor] { [self as any ModelExecutor as any Executor, self as any SerialExecutor] }
}

func executors(_ executor: DefaultSerialModelExecutor, _ context: ModelContext, _ job: consuming ExecutorJob) {
  let _: any Sendable.Type = DefaultSerialModelExecutor.self  // use: DefaultSerialModelExecutor: Sendable
  let _: any SerialModelExecutor = executor  // use: DefaultSerialModelExecutor: SerialModelExecutor
  let _: any SerialExecutor = executor as DefaultSerialModelExecutor  // use: DefaultSerialModelExecutor: SerialExecutor
  let _: ModelContext = executor.modelContext  // use: DefaultSerialModelExecutor.modelContext
  let _ = DefaultSerialModelExecutor(modelContext: context)  // use: DefaultSerialModelExecutor.init(modelContext:)
  executor.enqueue(job)  // use: DefaultSerialModelExecutor.enqueue(_:)
  // use: DefaultSerialModelExecutor.asUnownedSerialExecutor()
  let _: UnownedSerialExecutor = executor.asUnownedSerialExecutor()
}
