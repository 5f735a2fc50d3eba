import PersistenceContext
import PersistenceSupport

extension ModelContainer {
  /// Saves what waits in the contexts that save by themselves, and closes the stores.
  ///
  /// Contexts save where their code runs: the main context on the main actor, those of model actors on their executors.
  /// What was refused there is no error here: the next ``ModelContext/save()`` throws it. Changes in contexts without
  /// ``ModelContext/autosaveEnabled``, and in those that no executor is known to run, are not saved: save them before.
  ///
  /// Afterwards models keep the values that were read. Every fetch and save throws
  /// `SwiftDataError.storeUnreachable`, until the same stores are opened by a new container. What a store in memory held is
  /// gone. Closing again does nothing.
  ///
  /// A program that ends without this, and without a last ``ModelContext/save()``, may lose what the main context and
  /// others were to save by themselves: nothing runs there any more. The log says so.
  ///
  /// - Throws: The error of the first save that failed, or `SwiftDataError.storeBusy` in the middle of a save or a
  ///   transaction of the main context. Nothing is closed then.
  public func close() async throws {
    guard !stores.isClosed else { return }
    try await stores.autosavingContexts.save()
    try await saveAndClose()
  }

  /// As the other `close()`, for programs whose `main` is not asynchronous: it saves the main context and does not wait for
  /// model actors.
  ///
  /// - Throws: As the other `close()`. Nothing is closed then.
  @MainActor
  public func close() throws {
    guard !stores.isClosed else { return }
    try saveAndClose()
  }

  @MainActor
  private func saveAndClose() throws {
    try saveMainContext()
    stores.close()
  }
}
