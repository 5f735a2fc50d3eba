extension ModelContext {
  /// Notes how much had been committed to a store before this context read from it for the first time.
  func noteFirstUse(of store: StoreCoordinator) {
    guard !firstUses.contains(where: { $0.store === store }) else { return }
    firstUses.append((store, store.engine.knownChangeCount))
  }

  /// Whether everything that was committed to a store since this context has read from it was its own. Only asked while a
  /// transaction is open, when nobody can commit.
  func isAlone(with store: StoreCoordinator) -> Bool {
    firstUses.first { $0.store === store }?.changeCount == store.engine.knownChangeCount
  }

  /// Notes a commit of this context.
  ///
  /// - Parameter count: How much had been committed before.
  func didCommit(to store: StoreCoordinator, after count: Int64) {
    guard let place = firstUses.firstIndex(where: { $0.store === store }), firstUses[place].changeCount == count else {
      return
    }
    firstUses[place].changeCount += 1
  }

  /// Remembers what a save merged, and says so in the log, which values are not for.
  func report(_ conflicts: [SaveConflict]) {
    resolvedConflicts += conflicts
    let list = conflicts.prefix(10).map(\.place).joined(separator: ", ")
    logger.notice("a save met \(conflicts.count) changes of others and merged by \(conflictPolicy): \(list)")
  }
}
