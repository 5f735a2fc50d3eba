import PersistenceCore

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
    let isFirst = reader.seenVersion == nil
    if pool.hasWriter {
      // Whoever has the writer may be about to note what was seen here. The next read looks again.
      guard let writer = try? pool.takeIdleWriter() else { return }
      defer { pool.giveBackWriter() }
      guard (try? noteForeignChanges(writer)) != nil else { return }
    } else if !isFirst {
      // Nobody here has ever written.
      noteForeignChange()
    }
    reader.seenVersion = version
  }
}
