import SwiftData

/// An executor that runs its jobs on a dispatch queue. A test can check whether it runs on this queue.
final class QueueExecutor: SerialExecutor {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue = DispatchQueue(label: "tests.shelf")

  init() {
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  var isRunningHere: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  func isIsolatingCurrentContext() -> Bool? { isRunningHere }
}

/// An actor that owns a context and runs on `executor`.
actor Shelf {
  nonisolated let executor = QueueExecutor()
  private let context: ModelContext

  init(_ container: ModelContainer) {
    context = ModelContext(container)
    context.noteExecutor(executor)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func perform<Result>(_ body: @Sendable (ModelContext) throws -> sending Result) rethrows -> sending Result {
    try body(context)
  }

  func insert<Model: PersistentModel & Sendable>(_ models: some Collection<Model> & Sendable) throws {
    for model in models { context.insert(model) }
    try context.save()
  }

  func save() throws { try context.save() }

  func bodies(_ descriptor: FetchDescriptor<Note>) throws -> [String] {
    try context.fetch(descriptor).map { note in note.assumeIsolated { $0.body } }
  }

  func notes() throws -> [Note] { try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\._body)])) }
}
