import PersistenceContext
import PersistenceSupport

extension ModelContainer {
  /// Saves the contexts with autosave, and closes the stores. Ours.
  ///
  /// Each context saves where its code runs: the main context on the main actor, the context of a model actor on its
  /// executor. A change that a context has refused is not an error here: the next ``ModelContext/save()`` throws it.
  /// Contexts without ``ModelContext/autosaveEnabled``, and contexts without a known executor, are not saved.
  ///
  /// Models keep the values that were read. Every later fetch and save throws `SwiftDataError.storeUnreachable`. The
  /// contents of a store in memory are discarded. Closing a closed container does nothing. Any actor may call it.
  ///
  /// A program that ends without closing its containers may lose changes that wait for an autosave. The log says so.
  ///
  /// - Throws: The error of the first save that failed, or `SwiftDataError.storeBusy` in the middle of a save or a
  ///   transaction of the main context. Nothing is closed then.
  public func close() async throws {
    guard !stores.isClosed else { return }
    try await stores.autosavingContexts.save()
    try await saveAndClose()
  }

  /// Saves the main context, and closes the stores. For programs whose `main` is synchronous. Ours.
  ///
  /// Unlike the asynchronous `close()` it does not save the contexts of model actors.
  ///
  /// - Throws: The error of the save, or `SwiftDataError.storeBusy` in the middle of a save or a transaction of the
  ///   main context. Nothing is closed then.
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
