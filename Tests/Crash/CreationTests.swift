import ConformanceSupport
import CrashWorkload
import Foundation
import SwiftData
import Testing

@Suite("Creation of stores", .serialized)
struct CreationTests {
  @Test("a process killed while it creates a store leaves no file, an empty file or a valid store")
  func killed() throws {
    let seed = RandomTesting.seed
    print("crash: seed \(seed) (OSD_SEED), makers of stores")
    var random = SeededGenerator(seed: seed)
    var left: [String: Int] = [:]
    for _ in 0..<20 {
      let store = try StoreFolder()
      let child = try ChildProcess("write", store.path, "1")
      try child.waitForLines(beginningWith: "opening")
      // The process prints nothing while it creates the store, so the test waits for a random time.
      letTimePass(.microseconds(exp2(Double.random(in: 4...15, using: &random))))
      try child.kill()
      left[try kind(ofFileAt: store.path), default: 0] += 1
      let state = try store.checkedState()
      #expect(state.number >= child.lines.count { $0.hasPrefix("saved") })
    }
    print("crash: killed makers of stores left \(left.map { "\($0.key) \($0.value) times" }.joined(separator: ", "))")
  }

  /// Describes the file that a killed process left. Called before another process opens the file.
  private func kind(ofFileAt path: String) throws -> String {
    guard let file = FileManager.default.contents(atPath: path) else { return "no file" }
    if file.isEmpty { return "an empty file" }
    #expect(file.starts(with: Array("SQLite format 3\0".utf8)))
    return "a database"
  }

  @Test("if processes create one store at once, all succeed and every save is kept")
  func together() throws {
    for _ in 0..<15 {
      let store = try StoreFolder()
      let children = try (0..<3).map { _ in try ChildProcess("create", store.path) }
      for child in children { try child.waitForLines(beginningWith: "ready") }
      #expect(FileManager.default.createFile(atPath: store.path + ".go", contents: nil))
      for child in children {
        let code = try child.exitCode()
        #expect(code == 0)
      }
      let labels = try ModelContext(try openStore(at: store.path)).fetch(FetchDescriptor<Label>()).map(\.name)
      #expect(labels.sorted() == children.map { "process \($0.identifier)" }.sorted())
      #expect(try RawDatabase.problems(of: store.path) == [])
    }
  }

  @Test("if processes create one store at once and are killed, the store is valid")
  func killedTogether() throws {
    for round in 0..<10 {
      let store = try StoreFolder()
      let children = try (0..<2).map { _ in try ChildProcess("create", store.path) }
      for child in children { try child.waitForLines(beginningWith: "ready") }
      #expect(FileManager.default.createFile(atPath: store.path + ".go", contents: nil))
      // The processes print nothing while they create the store. The pause doubles every other round, to kill them at
      // other moments.
      letTimePass(.microseconds(500 << (round / 2)))
      // Some processes may have finished before they are killed, which is valid too.
      for child in children { child.end() }
      let saved = children.filter { $0.lines.contains("saved 1") }.map { "process \($0.identifier)" }
      let labels = try ModelContext(try openStore(at: store.path)).fetch(FetchDescriptor<Label>()).map(\.name)
      #expect(Set(labels).isSuperset(of: saved))
      #expect(Set(labels).isSubset(of: children.map { "process \($0.identifier)" }))
      #expect(try RawDatabase.problems(of: store.path) == [])
    }
  }
}
