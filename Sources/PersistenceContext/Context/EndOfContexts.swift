import PersistenceRuntime
import PersistenceSupport

/// The contexts with autosave and a known executor. Closing the container saves them. Any thread may use this list.
package final class AutosavingContexts: Sendable {
  private struct State {
    var handles: [ObjectIdentifier: ContextHandle] = [:]
    /// For each context, the number of executors that own the context or are releasing it.
    var owners: [ObjectIdentifier: Int] = [:]
    /// For each context, the tasks that wait until the context is released.
    var waiting: [ObjectIdentifier: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Lock(State())

  func add(_ handle: ContextHandle, _ identifier: ObjectIdentifier) {
    state.withLock { $0.handles[identifier] = handle }
  }

  func remove(_ identifier: ObjectIdentifier) {
    state.withLock { $0.handles[identifier] = nil }
  }

  /// Counts an executor that owns a context.
  package func addOwner(of identifier: ObjectIdentifier) {
    state.withLock { $0.owners[identifier, default: 0] += 1 }
  }

  /// Subtracts an executor that has released its context, and resumes the waiting tasks if it was the last owner. Then
  /// the context has made its last save, unless the program still retains the context.
  package func removeOwner(of identifier: ObjectIdentifier) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      let count = (state.owners[identifier] ?? 1) - 1
      state.owners[identifier] = count == 0 ? nil : count
      return count == 0 ? state.waiting.removeValue(forKey: identifier) ?? [] : []
    }
    for waiting in waiting { waiting.resume() }
  }

  /// Saves each context on its executor. Waits for contexts that are being released: these save in their deinit.
  ///
  /// - Throws: The first error, after all contexts were saved or have failed.
  package func save() async throws {
    var failure: (any Error)?
    for (identifier, handle) in state.withLock({ $0.handles }) {
      do {
        // The result is nil if another thread has released the last reference to the context or to its executor.
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

extension EndOfProcess {
  /// Adds a main context.
  package func watch(_ reference: ContextReference) {
    watch(reference) {
      // A main context may be read only on the main thread. Most programs exit on that thread.
      guard MainQueue.isRunningHere, let context = reference.context, context.autosaveEnabled, !context.pending.isEmpty
      else { return nil }
      return LostChanges("its changes (\(context.pending))", of: "the main context")
    }
  }

  /// Adds a context that waits for its release on an executor.
  package func watch(_ reference: ContextReference, left: PendingCounts) {
    let changes = "its changes (\(left))"
    watch(reference) { reference.context == nil ? nil : LostChanges(changes, of: "a model actor's context") }
  }

  /// Adds a context of which only the ``AutosaveMark`` is read, because another thread may be using the context.
  ///
  /// - Parameter isReached: Whether the context has a known executor, so that closing the container saves it.
  func watch(_ mark: AutosaveMark, isReached: Bool) {
    let name = isReached ? "a model actor's context" : "a context"
    watch(mark) { mark.isSet ? LostChanges("its changes", of: name, isSavedByClosing: isReached) : nil }
  }
}

/// A weak reference to a context, with its executor. Timers and the closing of a container use it on other threads.
struct ContextHandle: Sendable {
  private let reference: ContextReference
  private let execution: ForwardingExecutor

  /// Returns nil if the executor of the context is unknown.
  init?(of context: ModelContext) {
    guard let execution = context.execution else { return nil }
    self.execution = execution
    reference = ContextReference(context)
  }

  /// Runs code on the executor of the context. Returns nil if the context or its executor no longer exists.
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

/// A weak reference to a context. Any thread may pass it on; only the executor of the context reads it.
package final class ContextReference: @unchecked Sendable {
  // Unchecked: only the thread or actor of the context creates and reads the reference. Any thread may release it,
  // because releasing a weak reference is thread-safe.
  package weak var context: ModelContext?

  package init(_ context: ModelContext) {
    self.context = context
  }
}

// The last saves of a context, in its deinit or when its container closes. A save may execute code of the program that
// changes models, such as the encoding of a value. Then another save follows.

extension ModelContext {
  /// The maximum number of last saves. Each one writes the changes that the program made during the previous save.
  private static let mostLastSaves = 8

  /// Saves a context with autosave before its stores are closed.
  ///
  /// - Throws: The error of the save, or `SwiftDataError.storeBusy` if the context is in a save or a transaction.
  package func saveBeforeClosing() throws {
    guard transactionSnapshot == nil, !autosave.isSaving else {
      throw SwiftDataError(
        .storeBusy,
        "the container cannot be closed by code that runs in a save or a transaction of one of its contexts; "
          + "close it afterwards")
    }
    guard autosaveEnabled else { return }
    try savingAgain { try saveChanges(.implicit) }
  }

  /// Saves pending changes in the deinit of the context. Logs a failure, because a deinit cannot throw.
  func saveOnClosing() {
    defer { reportLostRefusals() }
    guard !pending.isEmpty else { return }
    do {
      try settleUncertainRows()
      var isRepeated = false
      try savingAgain {
        try saveHidden(isRepeated: isRepeated)
        isRepeated = true
      }
    } catch {
      logger.error("the autosave of a closing context failed, its changes (\(pending)) are lost: \(error)")
    }
  }

  /// Repeats a save until no changes are pending, at most ``mostLastSaves`` times.
  private func savingAgain(_ save: () throws -> Void) throws {
    for _ in 0..<Self.mostLastSaves {
      try save()
      guard !pending.isEmpty else { return }
    }
    logger.error(
      """
      code that the last \(Self.mostLastSaves) saves of a context ran, such as the encoding of a value, changed models \
      each time: the changes from the last time (\(pending)) are lost
      """)
  }

  /// Saves in the deinit of the context.
  ///
  /// - Parameter isRepeated: True if this save writes changes that code made during the previous last save.
  private func saveHidden(isRepeated: Bool) throws {
    hide(false)
    if isRepeated { insertRelatedOfChanged() }
    compareLists()
    repeat {
      readCascadedKeys { _ in true }
      // A completed deletion may cascade further.
      try completeDeletions()
    } while cascadedRows.contains { $0.keys == nil }
    let changes = SavedChanges(collecting: self)
    try SaveValidation(changes, in: self).run()
    try changes.loadRelationships()
    // Encoding values may execute code of the program, which must not find the context and retain it during its deinit.
    hide(true)
    try retrying { retry in
      try notingLateChanges {
        try (retry == 0 ? changes : SavedChanges(collecting: self)).write(in: self, retry: retry)
      }
    }
  }

  private func hide(_ isHidden: Bool) {
    self.isHidden = isHidden
    for changes in entityChanges.values { changes.hideContext(isHidden) }
  }

  /// Inserts the new objects that code of the program added to relationships of changed objects during the previous
  /// save. The context was hidden then, so they were not inserted at once.
  private func insertRelatedOfChanged() {
    for changes in orderedChanges where changes.map.entity.hasRelationships {
      for object in changes.livingChanged { insertRelated(of: object, in: changes.map, as: changes.map.modelType) }
    }
  }

  private func insertRelated<T: PersistentModel>(of object: AnyObject, in map: IdentityMap, as type: T.Type) {
    insertRelated(of: unsafeDowncast(object, to: T.self), in: map)
  }
}
