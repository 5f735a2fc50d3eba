#if PostgreSQL
  import Foundation

  /// A folder with room for so much and no more, as a disk of its own has. It takes root.
  package struct SmallDisk {
    /// Whether this process may make one.
    package static let isAvailable: Bool = {
      guard geteuid() == 0, let disk = try? SmallDisk(kilobytes: 64) else { return false }
      disk.remove()
      return true
    }()

    package let folder = "/tmp/osd-disk-\(UUID().uuidString.prefix(8))"

    package init(kilobytes: Int) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      do {
        try TestNetwork.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=777", "tmpfs", folder])
      } catch {
        try? FileManager.default.removeItem(atPath: folder)
        throw error
      }
    }

    /// Gives it other room, no less than is used.
    package func resize(kilobytes: Int) throws {
      try TestNetwork.run(["mount", "-o", "remount,size=\(kilobytes)k", folder])
    }

    /// How much of it is used.
    package func usedKilobytes() throws -> Int {
      var state = statvfs()
      guard statvfs(folder, &state) == 0 else { throw NetworkFailure(code: errno) }
      return Int(state.f_blocks - state.f_bfree) * Int(state.f_frsize) / 1_024
    }

    package func remove() {
      try? TestNetwork.run(["umount", "-l", folder])
      try? FileManager.default.removeItem(atPath: folder)
    }

    /// Gives a server a place for tables on the disk, and returns the URL of a program that makes its tables there.
    ///
    /// Not the whole of the server: a log without room would end it.
    package func makePlace(on cluster: TestCluster) throws -> String {
      try FileManager.default.createDirectory(atPath: folder + "/tables", withIntermediateDirectories: true)
      try TestNetwork.run(["chown", "-R", "postgres", folder])
      try cluster.connect().execute("CREATE TABLESPACE small LOCATION '\(folder)/tables'")
      return cluster.url + "&options=-cdefault_tablespace%3Dsmall"
    }
  }
#endif
