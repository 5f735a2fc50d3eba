import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: backups of stores in use, and restorations.

extension ModelContainer {
  /// Copies the stores while contexts and other processes save. Ours.
  ///
  /// The copy of a store is itself a store: a file and, beside it, the folder of its large values, if it has any. It is
  /// a snapshot of one moment and contains only whole transactions. For a container with several stores, the copy is a
  /// folder with a copy of each store, named after the store's file. Each of these copies is a snapshot of its own.
  ///
  /// ```swift
  /// try await container.backup(to: folder.appending(path: "trips-2026-11-25.store"))
  /// ```
  ///
  /// Nothing exists under the name of the copy until it is complete and on the disk. If the process is killed, the next
  /// backup to the same path removes the unfinished copy (`<name>.unfinished`). Saves do not wait for the copy, with
  /// one exception: if large values are replaced faster than they are copied, saves wait until the last few are copied.
  /// Encrypted values stay encrypted with the same key. Stores in memory and read-only stores can be backed up too.
  ///
  /// The backup runs on the reader threads of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - url: The file to create, or the folder if there are several stores. It must not exist; its parent folder must.
  ///   - progress: Has 1,000 units for each store. Cancelling it, or the task, ends the backup and removes the copy.
  /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the file exists already, or the parent folder
  ///   does not; `.storeReadOnly` if the folder is not writable, `.storeFull` if it has no space; `.storeBusy` if
  ///   another backup to the same path is in progress; errors of the stores.
  public func backup(to url: URL, progress: Progress = Progress(parent: nil)) async throws {
    let target = try Self.path(of: url)
    try await withTaskExecutorPreference(stores.readers) {
      try await runBackup(to: target, progress)
    }
  }

  @concurrent
  private func runBackup(to target: String, _ progress: Progress) async throws {
    let names = backupNames(target)
    let unfinished = try UnfinishedBackup(of: target)
    do {
      var parts: [String] = []
      for (index, (store, name)) in zip(stores.stores, names).enumerated() {
        let work = StoreWork(progress, store: index, of: stores.stores.count)
        try work.checkCancellation()
        parts += try store.engine.backUp(to: unfinished.path(of: name), work)
        work.finish()
      }
      try Task.checkCancellation()
      if stores.stores.count == 1 { try unfinished.publish(parts) } else { try unfinished.publishFolder() }
    } catch {
      unfinished.discard()
      throw error
    }
  }

  /// The file names of the copies. The copy of a single store has the name of the target.
  private func backupNames(_ target: String) -> [String] {
    guard stores.stores.count > 1 else { return [UnfinishedBackup.name(of: target)] }
    var taken: Set<String> = []
    return stores.stores.map { store in
      let own = UnfinishedBackup.name(of: store.engine.location)
      let wish = own.isEmpty || own == ":memory:" ? "memory.store" : own
      var (name, number) = (wish, 2)
      while !taken.insert(name.lowercased()).inserted {
        name = "\(number)-\(wish)"
        number += 1
      }
      return name
    }
  }

  /// Replaces a store with a backup, or creates the store from the backup. No program may have the store open. Ours.
  ///
  /// The backup is checked first; a file that is not a store, a damaged store and a store of a newer version are
  /// rejected. The store is replaced in one transaction of the database: if the process ends at any moment, either the
  /// old store or the new one exists, with its large values. The backup itself is not changed.
  ///
  /// ```swift
  /// try await ModelContainer.restore(from: backup, to: storeURL)
  /// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: storeURL))
  /// ```
  ///
  /// If a container of this process or another program has the store open, its lock is detected: the method throws and
  /// changes nothing. A connection that opens the store during the restoration waits for it, as it waits for a save,
  /// and then reads the new store. A connection that opened the file as immutable, as SQLite does only on read-only
  /// media, has no lock and is not detected.
  ///
  /// The restoration runs on a thread of its own. Any actor may call it.
  ///
  /// - Parameters:
  ///   - backup: The file of the backup, with the folder of its large values beside it, if it has any.
  ///   - store: The file of the store.
  ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the restoration; the store is unchanged then.
  /// - Throws: `CancellationError`; `SwiftDataError.storeBusy` if the store is open; `.storeNotADatabase`,
  ///   `.storeCorrupt`, `.storeOfAnotherProgram`, `.backwardMigration` for files that cannot be restored or replaced;
  ///   `.storeUnreachable` for a missing backup; `.storeFull`, `.storeReadOnly`. The store is unchanged then.
  public static func restore(
    from backup: URL, to store: URL, progress: Progress = Progress(parent: nil)
  ) async throws {
    let (source, target) = (try path(of: backup), try path(of: store))
    let work = StoreWork(progress)
    try await withTaskExecutorPreference(ReaderExecutor(width: 1)) {
      try await run { try ModelConfiguration(url: URL(filePath: target)).openable().restore(from: source, work) }
    }
    work.finish()
  }

  @concurrent
  private static func run(_ body: @Sendable () throws -> Void) async throws {
    try Task.checkCancellation()
    try body()
  }

  private static func path(of url: URL) throws -> String {
    guard url.isFileURL else {
      throw SwiftDataError(.storeUnreachable, "\(url.absoluteString) is not the URL of a file. Give one that is.")
    }
    let path = url.standardizedFileURL.path(percentEncoded: false)
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}
