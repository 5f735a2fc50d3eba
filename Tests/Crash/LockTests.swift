import ConformanceSupport
import CrashWorkload
import Foundation
import SwiftData
import Testing

@Suite("Locks of killed processes", .serialized)
struct LockTests {
  @Test("a process killed while it holds the write lock does not block the next process")
  func writeLock() throws {
    let store = try StoreFolder()
    for round in 1...5 {
      let child = try ChildProcess("hold", store.path)
      try child.waitForLines(beginningWith: "holding")
      #expect(try !RawDatabase(store.path).isWritable(), "the process has the lock")
      try child.kill()
      try saveAtOnce(round, in: store)
      #expect(try RawDatabase.problems(of: store.path) == [])
    }
  }

  @Test("an open container can write after a process with the lock is killed")
  func openContainer() throws {
    let store = try StoreFolder()
    let context = ModelContext(try openStore(at: store.path, busyTimeout: .milliseconds(50)))
    let child = try ChildProcess("hold", store.path)
    try child.waitForLines(beginningWith: "holding")
    context.insert(Label(name: "mine"))
    #expect(throws: SwiftDataError.storeBusy) { try context.save() }
    try child.kill()
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Label>()).map(\.name) == ["mine"])
  }

  /// Saves a label with a busy timeout of zero, and checks that the store has all committed labels and no others.
  private func saveAtOnce(_ round: Int, in store: StoreFolder) throws {
    let context = ModelContext(try openStore(at: store.path, busyTimeout: .zero))
    context.insert(Label(name: "label \(round)"))
    try context.save()
    let found = try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    #expect(found == (1...round).map { "label \($0)" })
  }
}
