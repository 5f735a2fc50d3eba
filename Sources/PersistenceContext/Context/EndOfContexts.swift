import Foundation
import Logging
import PersistenceSupport

/// The contexts of a container that save by themselves and can be reached.
package final class AutosavingContexts: Sendable {
  private struct State {
    var places: [ObjectIdentifier: ContextHandle] = [:]
    /// How many executors keep a context, or are giving it up.
    var owners: [ObjectIdentifier: Int] = [:]
    /// Who waits until no executor keeps a context any more.
    var waiting: [ObjectIdentifier: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Lock(State())

  func add(_ place: ContextHandle, _ identifier: ObjectIdentifier) {
    state.withLock { $0.places[identifier] = place }
  }

  func remove(_ identifier: ObjectIdentifier) {
    state.withLock { $0.places[identifier] = nil }
  }

  /// Notes that an executor keeps a context.
  package func addOwner(of identifier: ObjectIdentifier) {
    state.withLock { $0.owners[identifier, default: 0] += 1 }
  }

  /// Notes that an executor has given a context up, which has saved for the last time unless code of the program keeps it.
  package func removeOwner(of identifier: ObjectIdentifier) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let count = (state.owners[identifier] ?? 1) - 1
      state.owners[identifier] = count == 0 ? nil : count
      return count == 0 ? state.waiting.removeValue(forKey: identifier) ?? [] : []
    }
    for waiting in waiting { waiting.resume() }
  }

  /// Saves what is pending in each, where its code runs, and waits for those that are ending.
  ///
  /// - Throws: The first error of a save; the others have been tried too.
  package func save() async throws {
    var failure: (any Error)?
    for (identifier, place) in state.withLock({ $0.places }) {
      do {
        // Its executor is gone, or about to go: the last reference may have gone on any thread a moment ago.
        if try await place.run({ try $0.saveBeforeClosing() }) == nil { await waitForEnd(of: identifier) }
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

/// What has not been saved when the process ends.
///
/// Nothing runs on the main actor any more when `main` has returned: a context that waits to end there, or whose autosave
/// does, loses its changes. So does any other that lives on and whose autosave has not come. The log says which.
package final class EndOfProcess: Sendable {
  package static let shared = EndOfProcess()

  /// A context that saves by itself and has not ended.
  private struct Entry: Sendable {
    let reference: ContextReference
    /// What waits in a context whose owner is gone and that is not the main actor's.
    var left: String?
  }

  /// A context whose code may be running elsewhere: only its mark may be looked at.
  private struct MarkedEntry: Sendable {
    let mark: AutosaveMark
    /// Whether it is known where the code of the context runs, so that closing the container saves it.
    let isReached: Bool
    let logger: Logger
  }

  private let entries = Lock<[ObjectIdentifier: Entry]>([:])
  private let markedEntries = Lock<[ObjectIdentifier: MarkedEntry]>([:])

  private init() {
    atexit { EndOfProcess.shared.report() }
  }

  /// Notes a main context.
  package func watch(_ reference: ContextReference) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference) }
  }

  /// Notes a context that waits to end on an executor.
  package func watch(_ reference: ContextReference, left: PendingCounts) {
    entries.withLock { $0[ObjectIdentifier(reference)] = Entry(reference: reference, left: "\(left)") }
  }

  /// Notes a context by its mark.
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
      // What is the main actor's may be looked at there only, which is where programs end.
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
