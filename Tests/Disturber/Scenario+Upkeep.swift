import Dispatch
import SwiftData
import Synchronization

// Maintenance operations: after a failure or a kill, either the store is unchanged or the operation is complete.

extension Scenario {
  /// Whether the test may kill the process during the operation. ``look(_:_:original:)`` then checks the files.
  var canBeKilled: Bool { [.backUp, .restore, .repair].contains(self) }

  /// Runs only the operation, without checks.
  func work(_ store: LibraryStore) throws {
    switch self {
    case .backUp:
      let container = try store.container()
      try Self.waiting { try await container.backup(to: store.copy.file) }
    case .restore:
      try Self.waiting { try await ModelContainer.restore(from: store.copy.file, to: store.file) }
    case .repair: _ = try Self.repair(store)
    default: break
    }
  }

  /// Checks the files that a killed process has left, and runs the operation again.
  func look(_ disturbed: inout DisturbedCase, _ store: LibraryStore, original: LibraryStore) {
    switch self {
    case .backUp: Self.lookAtCopy(&disturbed, store, original)
    case .restore: Self.lookAtRestoredStore(&disturbed, store, original)
    case .repair: Self.lookAtRepairedStore(&disturbed, store)
    default: break
    }
    for problem in store.problems() where self != .repair { disturbed.expect(false, "the file: \(problem)") }
  }

  // MARK: Copies

  /// Backs up the store. After a failure the backup is complete or does not exist, and the next backup is complete.
  static func backUp(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let before = content(store, &disturbed) else { return }
    let error = disturbed.disturb { try Scenario.backUp.work(store) }
    disturbed.expect(error != nil || store.copy.exists, "a backup that succeeded is not there")
    disturbed.expect(error == nil || names(store) == [], "a backup that failed left \(names(store))")
    disturbed.expectEqual(content(store, &disturbed), before, "the store that was copied")
    lookAtCopy(&disturbed, store, store)
  }

  private static func lookAtCopy(
    _ disturbed: inout DisturbedCase, _ store: LibraryStore, _ original: LibraryStore
  ) {
    guard let wanted = content(original, &disturbed) else { return }
    if !store.copy.exists { _ = disturbed.expect("backing up again") { try Scenario.backUp.work(store) } }
    disturbed.expectEqual(content(store.copy, &disturbed), wanted, "the copy")
    for problem in store.copy.problems() { disturbed.expect(false, "the copy's file: \(problem)") }
    disturbed.expectEqual(content(store, &disturbed), wanted, "the store that was copied")
  }

  /// The names of the folder's files that do not belong to the store.
  private static func names(_ store: LibraryStore) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: store.folder.path)) ?? []
    return names.filter { !$0.hasPrefix(store.name) }.sorted()
  }

  // MARK: Restorations

  /// Backs up a store, and changes the store afterwards, so that the backup has other contents.
  static func makeCopyOfFormerStore(_ store: LibraryStore) throws {
    try Scenario.backUp.work(store)
    let context = ModelContext(try store.container())
    for author in try context.fetch(FetchDescriptor<LibraryV1.Author>()) {
      author.born += 100
      author.books.first?.cover = LibraryStore.cover(50 + author.born % 100)
    }
    try context.save()
  }

  /// Restores the backup. After a failure the store has its old contents or the contents of the backup.
  static func restore(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let old = content(store, &disturbed), let new = content(store.copy, &disturbed) else { return }
    disturbed.expect(old != new, "there is nothing to restore")
    let error = disturbed.disturb { try Scenario.restore.work(store) }
    disturbed.expectEqual(content(store, &disturbed), error == nil ? new : old, "the store after a restoration")
    _ = disturbed.expect("restoring again") { try Scenario.restore.work(store) }
    disturbed.expectEqual(content(store, &disturbed), new, "the store after another restoration")
  }

  private static func lookAtRestoredStore(
    _ disturbed: inout DisturbedCase, _ store: LibraryStore, _ original: LibraryStore
  ) {
    guard let old = content(original, &disturbed), let new = content(original.copy, &disturbed) else { return }
    let found = content(store, &disturbed)
    if found != old { disturbed.expectEqual(found, new, "the store after a restoration that was killed") }
    for problem in store.problems() { disturbed.expect(false, "the file after a kill: \(problem)") }
    _ = disturbed.expect("restoring again") { try Scenario.restore.work(store) }
    disturbed.expectEqual(content(store, &disturbed), new, "the store after another restoration")
  }

  // MARK: Repairs

  /// Damages a store by statements that another program could execute.
  static func spoil(_ store: LibraryStore) throws {
    try store.write([
      "UPDATE Author SET name = name || ' e' || char(0x301)", "UPDATE Book SET author = 99 WHERE _osd_key % 5 = 0",
      "UPDATE Book SET cover = (SELECT cover FROM Book WHERE typeof(cover) = 'text' LIMIT 1) WHERE _osd_key % 4 = 0",
      "UPDATE _osd_sequence SET next = 1", "DROP INDEX _osd_index_Topic_word",
    ])
  }

  /// Checks and repairs a store. Returns the problems that could not be repaired.
  private static func repair(_ store: LibraryStore) throws -> [String] {
    let container = try store.container()
    return try waiting {
      try await container.check(repairing: true).filter { $0.repair != .done }.map { "\($0)" }
    }
  }

  /// Repairs a store. The repair fixes every problem except those that it returns, or it throws and changes nothing.
  static func repair(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    let before = disturbed.expect("checking") { try problems(store) }
    disturbed.expect(before?.isEmpty == false, "there is nothing to repair")
    var named: [String] = []
    let error = disturbed.disturb { named = try repair(store) }
    let left = disturbed.expect("checking again") { try problems(store) } ?? []
    if error != nil || named.isEmpty {
      disturbed.expectEqual(left, error == nil ? [] : before ?? [], "what is wrong after a repair")
    }
    _ = disturbed.expect("repairing again") { try Scenario.repair.work(store) }
    disturbed.expectEqual(disturbed.expect("checking") { try problems(store) }, [], "what is wrong at last")
  }

  private static func lookAtRepairedStore(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    let left = disturbed.expect("checking") { try problems(store) } ?? []
    disturbed.expect(left.isEmpty || left.count > 5, "a killed repair has mended a part: \(left)")
    _ = disturbed.expect("repairing again") { try Scenario.repair.work(store) }
    disturbed.expectEqual(disturbed.expect("checking") { try problems(store) }, [], "what is wrong at last")
  }

  private static func problems(_ store: LibraryStore) throws -> [String] {
    let container = try store.container()
    let found = try waiting { try await container.check().map { "\($0.kind) \($0.table ?? "") \($0.key ?? 0)" } }
    // Problems of the kind `leftoverFile` are files that a killed process left; the next save removes them.
    return found.filter { !$0.hasPrefix("leftoverFile") }
  }

  // MARK: Tasks

  /// Runs an asynchronous function in a task, and waits for it.
  ///
  /// The task must not keep a reference to the container afterwards: if the task released the container later, its
  /// connections would be closed while the case checks the files.
  private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let (done, work) = (DispatchSemaphore(value: 0), Work(body))
    Task.detached {
      await work.run()
      done.signal()
    }
    done.wait()
    return try work.result.withLock { $0 }.get()
  }

  private final class Work<Value: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () async throws -> Value)?>
    let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))

    init(_ body: @escaping @Sendable () async throws -> Value) { self.body = Mutex(body) }

    func run() async {
      guard let body = body.withLock({ $0.take() }) else { return }
      do {
        let value = try await body()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
    }
  }
}
