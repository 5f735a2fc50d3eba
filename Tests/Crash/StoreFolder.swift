import CrashWriter
import Foundation
import SwiftData
import Testing

/// A folder for the store of one test, removed with it.
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

  /// What the store contains; it has to open, to be sound, and to agree with itself.
  func checkedState() throws -> StoreState {
    try Self.checkedState(at: path)
  }

  /// The same of a copy, so that the next process has to recover the store itself from what the killed one left.
  func checkedStateOfCopy() throws -> StoreState {
    let copy = folder.appending(path: "copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    let target = copy.appending(path: "crash.store").path
    for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
    }
    return try Self.checkedState(at: target)
  }

  private static func checkedState(at path: String) throws -> StoreState {
    let state = try readState(at: path)
    #expect(state.violations == [])
    #expect(try RawDatabase.problems(of: path) == [])
    return state
  }

  /// The container and its connections go before SQLite looks at the file.
  private static func readState(at path: String) throws -> StoreState {
    try StoreState(reading: ModelContext(try openStore(at: path)))
  }
}
