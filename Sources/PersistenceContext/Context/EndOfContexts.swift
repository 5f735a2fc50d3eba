import Foundation
import Logging
import PersistenceSupport

/// The contexts of a container that have autosave and a known executor. Any thread may use it.
package final class AutosavingContexts: Sendable {
  private struct State {
    var handles: [ObjectIdentifier: ContextHandle] = [:]
    /// The number of executors that own a context or are releasing it.
    var owners: [ObjectIdentifier: Int] = [:]
    /// The tasks that wait for the release of a context.
    var waiting: [ObjectIdentifier: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Lock(State())

  func add(_ handle: ContextHandle, _ identifier: ObjectIdentifier) {
    state.withLock { $0.handles[identifier] = handle }
  }

  func remove(_ identifier: ObjectIdentifier) {
    state.withLock { $0.handles[identifier] = nil }
  }

  /// Notes that an executor owns a context.
  package func addOwner(of identifier: ObjectIdentifier) {
    state.withLock { $0.owners[identifier, default: 0] += 1 }
  }

  /// Notes that an executor has released a context. The context has saved for the last time, unless the program retains
  /// it.
  package func removeOwner(of identifier: ObjectIdentifier) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let count = (state.owners[identifier] ?? 1) - 1
      state.owners[identifier] = count == 0 ? nil : count
      return count == 0 ? state.waiting.removeValue(forKey: identifier) ?? [] : []
    }
    for waiting in waiting { waiting.resume() }
  }

  /// Saves each context on its executor, and waits for contexts that are being released.
  ///
  /// - Throws: The first error. The other contexts are saved all the same.
  package func save() async throws {
    var failure: (any Error)?
    for (identifier, handle) in state.withLock({ $0.handles }) {
      do {
        // The executor is gone or in its deinit: another thread may have released the last reference.
        if try await handle.run({ try $0.saveBeforeClosing() }) == nil { await waitForEnd(of: identifier) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func waitForEnd(of identifier: ObjectIdentifier) async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        guard state.owners[identifier] != nil else { return true }
        state.waiting[identifier, default: []].append(continuation)
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }
}

/// Logs the contexts with unsaved changes when the process ends. Any thread may use it.
///
/// No job runs on the main actor after `main` has returned. So a context that waits there for its release or its
/// autosave loses its changes, and so does any other context whose autosave is not due yet.
package final class EndOfProcess: Sendable {
  package static let shared = EndOfProcess()

  /// A context with autosave that is still alive.
  private struct Entry: Sendable {
    let reference: ContextReference
    /// The pending changes of a context whose executor is gone; nil for a main context.
    var left: String?
  }

  /// A context whose code may run on another thread, which can only be asked by its mark.
  private struct MarkedEntry: Sendable {
    let mark: AutosaveMark
    /// Whether the context has a known executor, so that closing the container saves it.
    let isReached: Bool
    let logger: Logger
  }

  private let entries = Lock<[ObjectIdentifier: Entry]>([:])
  private let markedEntries = Lock<[ObjectIdentifier: MarkedEntry]>([:])

  private init() {
    atexit { EndOfProcess.shared.report() }
  }

  /// Adds a main context.
  package func watch(_ reference: ContextReference) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference) }
  }

  /// Adds a context that waits for its release on an executor.
  package func watch(_ reference: ContextReference, left: PendingCounts) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference, left: "\(left)") }
  }

  /// Adds a context by its mark.
  func watch(_ mark: AutosaveMark, isReached: Bool, _ logger: Logger) {
    let entry = MarkedEntry(mark: mark, isReached: isReached, logger: logger)
    markedEntries.withLock { $0[ObjectIdentifier(mark)] = entry }
  }

  package func forget(_ mark: AutosaveMark) {
    markedEntries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(mark)) }
  }

  package func forget(_ reference: ContextReference) {
    entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(reference)) }
  }

  private func report() {
    for entry in entries.withLock({ Array($0.values) }) {
      // A main context may be read only on the main thread, which is where programs usually end.
      guard entry.left != nil || MainQueue.isRunningHere, let context = entry.reference.context else { continue }
      if let left = entry.left {
        report("its changes (\(left))", of: "a model actor's context", context.logger)
      } else if context.autosaveEnabled, !context.pending.isEmpty {
        report("its changes (\(context.pending))", of: "the main context", context.logger)
      }
    }
    for entry in markedEntries.withLock({ Array($0.values) }) where entry.mark.isSet {
      let name = entry.isReached ? "a model actor's context" : "a context"
      report("its changes", of: name, entry.logger, closingSaves: entry.isReached)
    }
  }

  private func report(_ changes: String, of name: String, _ logger: Logger, closingSaves: Bool = true) {
    let remedy = closingSaves ? "save(), or close() of the container," : "save()"
    logger.error(
      """
      the program ends before \(name) could save by itself, \(changes) are lost; call \(remedy) before the end
      """)
  }
}
