extension SQLiteStoreEngine {
  /// Checks whether a connection that has just read has seen commits of other processes.
  ///
  /// Its version number costs no statement. It changes with commits of this process too, so a change is confirmed by
  /// the writer, whose version does not change with its own commits.
  func noticeForeignChanges(_ reader: SQLiteConnection) {
    // No other process can commit during a migration, and the migration's own contexts change the version too.
    guard !configuration.isInMemory, !isMigrating else { return }
    let version = reader.handle.dataVersion
    guard version != reader.seenVersion else { return }
    // If the writer is in use, its transaction may note the same commits. The version stays unseen, so that the next
    // read checks again.
    guard noticeForeignChanges(isFirst: reader.seenVersion == nil, in: reader) else { return }
    reader.seenVersion = version
  }

  /// Notes commits of other processes that a read has seen; false if no connection can confirm them now.
  private func noticeForeignChanges(isFirst: Bool, in reader: SQLiteConnection) -> Bool {
    guard !pool.hasWriter else {
      guard let writer = try? pool.takeIdleWriter() else { return false }
      defer { pool.giveBackWriter() }
      return (try? noteForeignChanges(writer)) != nil
    }
    // Without a writer this engine has not committed anything. Versions of two connections cannot be compared. For a
    // connection without an earlier version, the connection that opened the file tells whether the file has changed
    // since.
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
