import Dispatch
import Foundation
import SharedStoreWorkload
import SwiftData

/// An actor with a context whose autosave never runs, because its clock is stopped.
@ModelActor private actor Keeper {
  func add(_ count: Int) {
    modelContext.autosaveClock = StoppedClock()
    modelContext.autosaveEnabled = true
    for number in 0..<count { modelContext.insert(Entry(writer: "actor", number: number)) }
  }

  func save() throws { try modelContext.save() }
}

private struct StoppedClock: AutosaveClock {
  var now: Duration { .zero }

  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {}
}

/// Ways in which a program ends while its main context or an actor's context has unsaved changes.
@MainActor
enum UnsavedEnd {
  /// Keeps the container until the process ends, as a global variable of a program does.
  private static var kept: ModelContainer?
  private static var keeper: Keeper?
  private static var context: ModelContext?

  static func run(_ command: String, _ container: ModelContainer, count: Int) throws {
    // Sends the log to standard output, which the test reads.
    dup2(STDOUT_FILENO, STDERR_FILENO)
    if command.hasSuffix("-context") { return keepContext(of: container, count: count, command) }
    if command.hasSuffix("-actor") { return keep(container, count: count, saves: command == "save-actor") }
    for number in 0..<count { container.mainContext.insert(Entry(writer: "main", number: number)) }
    switch command {
    case "forget": kept = container
    case "save":
      kept = container
      try container.mainContext.save()
    case "close":
      kept = container
      try container.close()
    case "close-in-task":
      Task {
        try await container.close()
        exit(0)
      }
      dispatchMain()
    case "drop":
      // The caller still holds the container until it returns. Afterwards another thread releases the container.
      kept = container
    default: exit(2)
    }
  }

  /// Makes unsaved changes in the context of an actor, which lives until the process ends.
  private static func keep(_ container: ModelContainer, count: Int, saves: Bool) {
    let actor = Keeper(modelContainer: container)
    keeper = actor
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      await actor.add(count)
      if saves { try? await actor.save() }
      done.signal()
    }
    done.wait()
  }

  /// Makes unsaved changes in a context without an executor, which lives until the process ends. Depending on the
  /// command, the changes are reverted.
  private static func keepContext(of container: ModelContainer, count: Int, _ command: String) {
    let own = ModelContext(container)
    own.autosaveClock = StoppedClock()
    own.autosaveEnabled = true
    for number in 0..<count { own.insert(Entry(writer: "context", number: number)) }
    switch command {
    case "rollback-context": own.rollback()
    case "delete-context":
      for entry in own.insertedModelsArray { own.delete(entry) }
    case "again-context":
      own.rollback()
      own.insert(Entry(writer: "context", number: count))
    default: break
    }
    context = own
  }

  /// Releases the last reference to the container on another thread, and waits until it is released.
  static func drop() {
    guard let burden = kept.map(Burden.init) else { return }
    kept = nil
    let dropped = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      burden.drop()
      dropped.signal()
    }
    dropped.wait()
    print("dropped")
    fflush(nil)
  }

  private final class Burden: @unchecked Sendable {
    // Unchecked, because only one thread at a time uses the object.
    private var container: ModelContainer?

    init(_ container: ModelContainer) { self.container = container }

    func drop() { container = nil }
  }
}
