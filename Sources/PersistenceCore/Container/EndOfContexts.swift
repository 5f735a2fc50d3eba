import Foundation

/// The contexts of a container that save by themselves and can be reached.
final class AutosavingContexts: Sendable {
  private let places = Lock<[ObjectIdentifier: ContextPlace]>([:])
  /// The queues in which contexts are about to end whose owners are gone.
  private let ending = Lock<[ObjectIdentifier: JobQueue]>([:])

  func add(_ place: ContextPlace, _ identifier: ObjectIdentifier) {
    places.withLock { $0[identifier] = place }
  }

  func remove(_ identifier: ObjectIdentifier) {
    places.withLock { $0[identifier] = nil }
  }

  func beginEnd(in queue: JobQueue) {
    ending.withLock { $0[ObjectIdentifier(queue)] = queue }
  }

  func didEnd(in queue: JobQueue) {
    ending.withLock { $0[ObjectIdentifier(queue)] = nil }
  }

  /// Saves what is pending in each, where its code runs, and waits for those that are about to end.
  ///
  /// - Throws: The first error of a save; the others have been tried too.
  func save() async throws {
    var failure: (any Error)?
    for place in places.withLock({ Array($0.values) }) {
      do {
        try await place.run { try $0.saveBeforeClosing() }
      } catch {
        failure = failure ?? error
      }
    }
    for queue in ending.withLock({ Array($0.values) }) {
      await withCheckedContinuation { done in queue.run { done.resume() } }
    }
    if let failure { throw failure }
  }
}

/// What has not been saved when the process ends.
///
/// Nothing runs on the main actor any more when `main` has returned: a context that waits to end there, or whose autosave
/// does, loses its changes. The log says which.
final class EndOfProcess: Sendable {
  static let shared = EndOfProcess()

  /// A context that saves by itself and has not ended.
  private struct Entry: Sendable {
    let reference: ContextReference
    /// What waits in a context whose owner is gone and that is not the main actor's.
    var left: String?
  }

  private let entries = Lock<[ObjectIdentifier: Entry]>([:])

  private init() {
    atexit { EndOfProcess.shared.report() }
  }

  /// Notes a main context.
  func watch(_ reference: ContextReference) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference) }
  }

  /// Notes a context that waits to end on an executor.
  func watch(_ reference: ContextReference, left: PendingCounts) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference, left: "\(left)") }
  }

  func forget(_ reference: ContextReference) {
    entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(reference)) }
  }

  private func report() {
    for entry in entries.withLock({ Array($0.values) }) {
      // What is the main actor's may be looked at there only, which is where programs end.
      guard entry.left != nil || MainQueue.isRunningHere, let context = entry.reference.context else { continue }
      if let left = entry.left {
        report(left, of: "a model actor's context", context)
      } else if context.autosaveEnabled, !context.pending.isEmpty {
        report("\(context.pending)", of: "the main context", context)
      }
    }
  }

  private func report(_ changes: String, of name: String, _ context: ModelContext) {
    context.logger.error(
      """
      the program ends before \(name) could save by itself, its changes (\(changes)) are lost; call save(), or close() \
      of the container, before the end
      """)
  }
}
