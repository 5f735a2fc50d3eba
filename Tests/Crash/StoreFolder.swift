import ConformanceSupport
import Foundation
import Testing

/// A folder for the store of one test. It is deleted when this object is released.
final class StoreFolder {
  let folder: URL
  let path: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "crash.store").path
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The contents of the store. The store must open, and its file, its R-tree and its rows must be consistent.
  func checkedState() throws -> FoundState {
    try Self.checkedState(at: path)
  }

  /// Checks a copy of the store instead, so that the next process has to recover the original from the files that the
  /// killed process left.
  func checkedStateOfCopy() throws -> FoundState {
    let copy = folder.appending(path: "copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    let target = copy.appending(path: "crash.store").path
    for suffix in ["", "-wal", "-journal", "_external"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
    }
    return try Self.checkedState(at: target)
  }

  private static func checkedState(at path: String) throws -> FoundState {
    let state = try FoundState(at: path)
    #expect(state.violations == [])
    let problems = try RawDatabase.problems(of: path)
    #expect(problems == [])
    let tree = try RawDatabase(path)
      .faults(of: "_osd_rtree_Item_weight_number", table: "Item", columns: ["weight", "number"])
    #expect(tree == [])
    let files = try ExternalFiles.problems(of: path)
    #expect(files == [])
    return state
  }
}

/// The contents of a store, as a separate process reads them.
///
/// If this process opened the store, its connections would stay open. Then the next writer would not recover the store,
/// because only the first process that opens a store recovers it.
struct FoundState {
  let number: Int
  let digest: UInt64
  let violations: [String]

  init(at path: String) throws {
    let child = try ChildProcess("check", path)
    let code = try child.exitCode()
    try #require(code == 0, "the store does not open")
    let words = try #require(child.lines.last).split(separator: " ")
    try #require(words.count == 3 && words[0] == "state")
    let number: Int? = Int(words[1])
    let digest: UInt64? = UInt64(words[2])
    self.number = try #require(number)
    self.digest = try #require(digest)
    violations = Array(child.lines.dropLast())
  }
}
