import ConformanceSupport
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

/// These tests need either a user whom file permissions restrict, or the right to mount. A test for which both are
/// missing prints a line and is skipped.
@Suite("Read-only and full media")
struct ReadOnlyMediaTests {
  /// Remounts the folder read-only while `body` runs. Returns false if this process has no right to mount.
  private func withReadOnlyMount(_ folder: TemporaryFolder, _ body: () throws -> Void) throws -> Bool {
    let path = folder.url.path
    guard shell("mount --bind '\(path)' '\(path)' 2>/dev/null && mount -o remount,bind,ro '\(path)' 2>/dev/null")
    else {
      _ = shell("umount '\(path)' 2>/dev/null")
      return false
    }
    defer { _ = shell("umount '\(path)'") }
    try body()
    return true
  }

  private func shell(_ command: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("on read-only media, a save throws, and reads work without the write-ahead log's files")
  func readOnlyMedia() throws {
    let folder = try TemporaryFolder()
    let made = try SampleStore(folder.configuration())
    try made.insert([["count": 7]])
    made.engine.close()
    let isPermitted = try withReadOnlyMount(folder) {
      #expect(throws: SwiftDataError.storeReadOnly) { _ = try SampleStore(folder.configuration()) }
      var configuration = folder.configuration()
      configuration.allowsSave = false
      let store = try SampleStore(configuration)
      #expect(try store.values(1)?[2] == 7)
      store.engine.close()
      #expect(throws: SwiftDataError.storeReadOnly) { _ = try SampleStore(folder.configuration("new.sqlite")) }
    }
    if !isPermitted { print("not permitted to mount: read-only media not tested") }
    #expect(folder.names == ["store.sqlite"])
  }

  @Test("on read-only media, a store that another program restored from a dump is read unchanged")
  func reloaded() throws {
    let folder = try TemporaryFolder()
    let made = try SampleStore(folder.configuration("made.sqlite"))
    try made.insert([["count": 7]])
    made.engine.close()
    try Reloading.copy(folder.file("made.sqlite"), to: folder.file())
    let bytes = try Data(contentsOf: folder.file())
    let isPermitted = try withReadOnlyMount(folder) {
      #expect(throws: SwiftDataError.storeReadOnly) { _ = try SampleStore(folder.configuration()) }
      var configuration = folder.configuration()
      configuration.allowsSave = false
      let store = try SampleStore(configuration)
      #expect(try store.values(1)?[2] == 7)
      store.engine.close()
    }
    if !isPermitted { print("not permitted to mount: reloaded stores on read-only media not tested") }
    #expect(try Data(contentsOf: folder.file()) == bytes && folder.names == ["made.sqlite", "store.sqlite"])
  }

  @Test("on a full disk, a store restored from a dump opens for saving, although its header cannot be completed")
  func reloadedOnFullDisk() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    guard shell("mount -t tmpfs -o size=400k tmpfs '\(path)' 2>/dev/null") else {
      return print("not permitted to mount: full disk not tested")
    }
    defer { _ = shell("umount '\(path)'") }
    let made = try SampleStore(folder.configuration("made.sqlite"))
    try made.insert([["count": 7]])
    made.engine.close()
    try Reloading.copy(folder.file("made.sqlite"), to: folder.file())
    _ = shell("dd if=/dev/zero of='\(folder.file("filler").path)' bs=1k 2>/dev/null")
    let store = try SampleStore(folder.configuration())
    #expect(try store.values(1)?[2] == 7)
    store.engine.close()
    try FileManager.default.removeItem(at: folder.file("filler"))
    try SampleStore(folder.configuration()).engine.close()
    #expect(try RawDatabase(folder.file().path).header()[2] == "wal")
    #expect(try RawDatabase(folder.file().path).header()[0] != "0")
  }

  @Test("a full disk is reported, no data is lost, and the store works again when there is space")
  func fullDisk() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    guard shell("mount -t tmpfs -o size=400k tmpfs '\(path)' 2>/dev/null") else {
      return print("not permitted to mount: full disk not tested")
    }
    defer { _ = shell("umount '\(path)'") }
    let store = try SampleStore(folder.configuration())
    try store.insert([["count": 1]])
    let filler = folder.file("filler")
    _ = shell("dd if=/dev/zero of='\(filler.path)' bs=1k 2>/dev/null")
    let rows = (0..<50).map {
      ["name": .text(String(repeating: "x", count: 5_000)), "count": .integer($0)] as [String: RowValue]
    }
    #expect(throws: SwiftDataError.storeFull) { try store.insert(rows) }
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 1)
    try FileManager.default.removeItem(at: filler)
    try store.insert([["count": 2]])
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 2)
    store.engine.close()
  }

  @Test("a disk that has too little space for a new store is reported as full")
  func fullDiskAtCreation() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    guard shell("mount -t tmpfs -o size=16k tmpfs '\(path)' 2>/dev/null") else {
      return print("not permitted to mount: full disk not tested")
    }
    defer { _ = shell("umount '\(path)'") }
    #expect(throws: SwiftDataError.storeFull) { _ = try SampleStore(folder.configuration()) }
  }

  @Test("a store that reaches its size limit is reported as full")
  func sizeLimit() throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration()
    configuration.maximumSizeBytes = 200 << 10
    let store = try SampleStore(configuration)
    let rows = (0..<100).map {
      ["name": .text(String(repeating: "x", count: 5_000)), "count": .integer($0)] as [String: RowValue]
    }
    #expect(throws: SwiftDataError.storeFull) { try store.insert(rows) }
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 0)
    try store.insert([["count": 1]])
    #expect(try store.values(1)?[2] == 1)
  }
}
