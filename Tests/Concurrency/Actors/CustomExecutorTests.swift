import Dispatch
import Foundation
import PersistenceCore
import SwiftData
import Testing

/// An executor with a thread of its own, which runs jobs one at a time.
final class ThreadExecutor: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var hasEnded = false
  }

  private let state = Lock(State())
  private let work = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { [self] in
      Thread.current.threadDictionary["program"] = true
      while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    work.signal()
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    work.signal()
  }

  private func next() -> UnownedJob? {
    while true {
      work.wait()
      let (job, hasEnded) = state.withLock { ($0.jobs.isEmpty ? nil : $0.jobs.removeFirst(), $0.hasEnded) }
      if job != nil || hasEnded { return job }
    }
  }
}

/// A hand-written model executor, which owns the context and runs its jobs on a ``ThreadExecutor``.
final class HandWrittenExecutor: SerialModelExecutor, @unchecked Sendable {
  // Sendable without checks, as every model executor has to be: only code that runs on the executor uses the context.
  let modelContext: ModelContext
  private let thread: ThreadExecutor

  init(modelContext: ModelContext, thread: ThreadExecutor) {
    self.modelContext = modelContext
    self.thread = thread
  }

  func enqueue(_ job: consuming ExecutorJob) {
    thread.enqueue(job)
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
}

/// An executor that does not guarantee to run one job at a time.
final class LooseExecutor: ModelExecutor, @unchecked Sendable {
  // Sendable without checks, as every model executor has to be.
  let modelContext: ModelContext

  init(modelContext: ModelContext) { self.modelContext = modelContext }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
  }
}

private func isOnProgramThread() -> Bool { Thread.current.threadDictionary["program"] != nil }

@Suite("Custom executors")
struct CustomExecutorTests {
  @Test("a custom dispatch queue runs the actor's jobs", arguments: Engine.allCases)
  func queue(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let queue = DispatchQueue(label: "program")
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "program")
    let executor = DefaultSerialModelExecutor(modelContext: store.context(), queue: queue)
    let trips = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    try await trips.add("Oslo")
    #expect(await trips.run { _ in DispatchQueue.getSpecific(key: key) } == "program")
    #expect(await trips.run { trips in trips.assumeIsolated { _ in true } })
    #expect(try store.storedNames == ["Oslo"])
  }

  @Test("a custom concurrent queue runs the actor's jobs one at a time")
  func concurrentQueue() async throws {
    let store = try TestStore(.memory)
    let queue = DispatchQueue(label: "program", attributes: .concurrent)
    let executor = DefaultSerialModelExecutor(modelContext: store.context(), queue: queue)
    let trips = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { await trips.run { $0.modelContext.insert(Trip("\(number)")) } } }
    }
    #expect(await trips.run { $0.modelContext.insertedModelsArray.count } == 200)
  }

  @Test("a custom thread runs the actor's jobs", arguments: Engine.allCases)
  func thread(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let thread = ThreadExecutor()
    defer { thread.end() }
    let executor = DefaultSerialModelExecutor(modelContext: store.context(), executor: thread)
    let trips = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    try await trips.add("Oslo")
    #expect(await trips.run { _ in isOnProgramThread() })
    await trips.run { $0.preconditionIsolated() }
    #expect(try store.storedNames == ["Oslo"])
  }

  @Test("a hand-written executor runs the actor's jobs", arguments: Engine.allCases)
  func handWritten(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let thread = ThreadExecutor()
    defer { thread.end() }
    let executor = HandWrittenExecutor(modelContext: store.context(), thread: thread)
    let trips = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    try await trips.add("Oslo")
    #expect(await trips.run { _ in isOnProgramThread() })
  }

  @Test("even on an executor that is not serial, the actor runs one job at a time")
  func loose() async throws {
    let store = try TestStore(.memory)
    let trips = ChosenStore(
      modelContainer: store.container, modelExecutor: LooseExecutor(modelContext: store.context()))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { await trips.run { $0.modelContext.insert(Trip("\(number)")) } } }
    }
    #expect(await trips.run { $0.modelContext.insertedModelsArray.count } == 200)
    #expect(await !trips.isOnMainActor())
  }

  @Test("two actors may share an executor and its context")
  func shared() async throws {
    let store = try TestStore(.memory)
    let executor = DefaultSerialModelExecutor(modelContext: store.context())
    let first = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    let second = ChosenStore(modelContainer: store.container, modelExecutor: executor)
    await first.run { $0.modelContext.insert(Trip("Oslo")) }
    #expect(await second.run { $0.modelContext.insertedModelsArray.count } == 1)
    #expect(await first.run { _ in second.assumeIsolated { $0.modelContext.hasChanges } })
  }
}
