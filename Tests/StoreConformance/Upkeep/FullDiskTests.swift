import ConformanceSupport
import SwiftData
import Testing

/// These tests mount a small file system in memory, for which the process needs permission. Without the permission,
/// each test prints a message and passes without testing anything.
@Suite("Backups and repairs on a full disk")
struct FullDiskTests {
  private static func shell(_ command: String) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Mounts an empty file system of the given size, and runs `body` with its folder.
  private func withDisk(kilobytes: Int, _ body: (BackupTests.Folder) async throws -> Void) async throws {
    let folder = try BackupTests.Folder()
    let path = folder.url.path
    guard Self.shell("mount -t tmpfs -o size=\(kilobytes)k tmpfs '\(path)' 2>/dev/null") else {
      return print("not permitted to mount: a full disk was not tested")
    }
    defer { _ = Self.shell("umount -l '\(path)'") }
    try await body(folder)
  }

  @Test("a backup that does not fit on the disk throws and leaves no files")
  func backup() async throws {
    let archive = try Archive(items: 1_000)
    for size in [64, 256, 700] {
      try await withDisk(kilobytes: size) { disk in
        await #expect(throws: SwiftDataError.storeFull) {
          try await archive.container.backup(to: disk.file("copy.store"))
        }
        #expect(disk.names == [])
      }
    }
    #expect(try await archive.check() == [])
  }

  @Test("restoring a backup that does not fit on the disk throws and leaves the old store")
  func restoration() async throws {
    let (small, large) = (try Archive(items: 3), try Archive(items: 1_000))
    let folder = try BackupTests.Folder()
    let (few, many) = (folder.file("few.store"), folder.file("many.store"))
    try await small.container.backup(to: few)
    try await large.container.backup(to: many)
    try await withDisk(kilobytes: 1_500) { disk in
      let store = disk.file("trips.store")
      try await ModelContainer.restore(from: few, to: store)
      await #expect(throws: SwiftDataError.storeFull) { try await ModelContainer.restore(from: many, to: store) }
      let container = try BackupTests.open(store)
      #expect(try BackupTests.contents(container) == BackupTests.contents(small.container))
      #expect(try await container.check() == [])
      try await container.close()
    }
  }

  @Test("a repair that does not fit on the disk throws and repairs nothing")
  func repair() async throws {
    let archive = try Archive(items: 2_000)
    let folder = try BackupTests.Folder()
    try await archive.container.backup(to: folder.file("copy.store"))
    try await withDisk(kilobytes: 3_000) { disk in
      let store = disk.file("trips.store")
      try await ModelContainer.restore(from: folder.file("copy.store"), to: store)
      try RawDatabase(store.path).run("UPDATE ArchiveItem SET isLent = 2, title = 'e' || char(0x301) || _osd_key")
      let container = try BackupTests.open(store)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<ArchiveItem>()) == 2_000)
      _ = Self.shell("dd if=/dev/zero of='\(disk.file("filler").path)' bs=1k 2>/dev/null")
      await #expect(throws: SwiftDataError.storeFull) { try await container.check(repairing: true) }
      try FileManager.default.removeItem(at: disk.file("filler"))
      let problems = try await container.check()
      #expect(problems.contains { $0.count > 1 } && problems.allSatisfy { $0.repair == .possible })
      try await container.close()
    }
  }
}
