extension SQLiteStoreEngine {
  /// Looks whether a connection that has just read came across commits of other processes.
  ///
  /// The number of its version costs no statement. It changes with commits of this process too, so when there were any
  /// the connection that writes is asked, which does not see its own.
  func noticeForeignChanges(_ reader: SQLiteConnection) {
    // Within a migration nobody else can commit, and what its own contexts do changes the version too.
    guard !configuration.isInMemory, !isMigrating else { return }
    let version = reader.handle.dataVersion
    guard version != reader.seenVersion else { return }
    // Whoever has the connection that can tell may be about to note what was seen here, and what could not be asked now can
    // be later: the next read looks again.
    guard noticeForeignChanges(isFirst: reader.seenVersion == nil, in: reader) else { return }
    reader.seenVersion = version
  }

  /// Notes commits of other processes that a read came across; false when nobody can tell now.
  private func noticeForeignChanges(isFirst: Bool, in reader: SQLiteConnection) -> Bool {
    guard !pool.hasWriter else {
      guard let writer = try? pool.takeIdleWriter() else { return false }
      defer { pool.giveBackWriter() }
      return (try? noteForeignChanges(writer)) != nil
    }
    // Nobody here has ever written. The versions of two connections cannot be compared, so what a new one does not know, the
    // one that opened the file does: whoever read before it may have seen less.
    guard isFirst else {
      noteForeignChange()
      return true
    }
    do {
      guard let hasChanged = try openerHasSeenChanges(besides: reader) else { return false }
      if hasChanged { noteForeignChange() }
      return true
    } catch {
      return false
    }
  }
}
