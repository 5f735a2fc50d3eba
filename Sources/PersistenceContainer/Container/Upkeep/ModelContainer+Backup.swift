import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: stores are copied while they are used, and come back.

extension ModelContainer {
  /// Copies the stores while contexts and other processes save. Ours.
  ///
  /// The copy of a store is a store itself: a file, beside it the folder of its large values, if it has any. It has what
  /// was committed at one moment, whole transactions only. A container with several stores makes a folder with a copy of
  /// each, named as its file is; each of these has a moment of its own.
  ///
  /// ```swift
  /// try await container.backup(to: folder.appending(path: "trips-2026-11-25.store"))
  /// ```
  ///
  /// Nothing is there by the name of the copy until all of it is, and on the disk. What a process that was killed left
  /// (`<name>.unfinished`) is removed by the next backup to the same place. Saves do not wait for the copy; only where
  /// large values are replaced faster than they are copied they do, for the last few. What is encrypted stays so, with
  /// the same key. A store in memory can be backed up too, and so can one that may not change.
  ///
  /// It runs on the reader threads of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - url: The file to make, or the folder if there are several stores. Nothing is there yet; the folder around it is.
  ///   - progress: Has 1,000 units for each store. Cancelling it, or the task, ends the backup; nothing is left of it.
  /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if something is there already, or the folder is not;
  ///   `.storeReadOnly` if the folder may not be written, `.storeFull` if it has no room; `.storeBusy` if another backup
  ///   to the same place is being made; errors of the stores.
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

  /// The names of the copies: that of the target for a single store.
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

  /// Replaces a store that no program has open by a backup, or makes it of one. Ours.
  ///
  /// The backup is checked first; what is no store, is damaged or is of a newer version is refused. The store is replaced
  /// in one transaction of the database: whatever ends the process, there is the old store or the new one, with the large
  /// values of it. The backup itself stays as it is.
  ///
  /// ```swift
  /// try await ModelContainer.restore(from: backup, to: storeURL)
  /// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: storeURL))
  /// ```
  ///
  /// Containers of this process and other programs that have the store open are noticed by their locks, and nothing is
  /// changed then: close them first. What opens the store meanwhile waits as for a save, and then finds the new one.
  /// A connection that opened the file as immutable, as SQLite does on read-only media only, has no lock and is not
  /// noticed.
  ///
  /// It runs on a thread of its own. Any actor may call it.
  ///
  /// - Parameters:
  ///   - backup: The file of the backup, with the folder of its large values beside it, if it has any.
  ///   - store: The file of the store.
  ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the restoration; the store is as it was then.
  /// - Throws: `CancellationError`; `SwiftDataError.storeBusy` if a connection has the store open; `.storeNotADatabase`,
  ///   `.storeCorrupt`, `.storeOfAnotherProgram`, `.backwardMigration` for what cannot be restored or replaced;
  ///   `.storeUnreachable` for a missing backup; `.storeFull`, `.storeReadOnly`. The store is as it was then.
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
