#if PostgreSQL
  import Foundation

  /// A folder of a fixed capacity that serves as a small disk. It is a mounted tmpfs, which requires root.
  package struct SmallDisk {
    /// True if this process has the right to mount a tmpfs.
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

    /// Changes the capacity of the folder. The new capacity must be at least the used space.
    package func resize(kilobytes: Int) throws {
      try TestNetwork.run(["mount", "-o", "remount,size=\(kilobytes)k", folder])
    }

    /// The used space in kilobytes.
    package func usedKilobytes() throws -> Int {
      var state = statvfs()
      guard statvfs(folder, &state) == 0 else { throw NetworkFailure(code: errno) }
      return Int(state.f_blocks - state.f_bfree) * Int(state.f_frsize) / 1_024
    }

    package func remove() {
      try? TestNetwork.run(["umount", "-l", folder])
      try? FileManager.default.removeItem(atPath: folder)
    }

    /// Creates a tablespace in the folder. Returns a connection URL that makes the tablespace the default, so that a
    /// program creates its tables there.
    ///
    /// The server's other files stay on another disk, because the server stops if it has no space for its write-ahead
    /// log.
    package func makePlace(on cluster: TestCluster) throws -> String {
      try FileManager.default.createDirectory(atPath: folder + "/tables", withIntermediateDirectories: true)
      try TestNetwork.run(["chown", "-R", "postgres", folder])
      try cluster.connect().execute("CREATE TABLESPACE small LOCATION '\(folder)/tables'")
      return cluster.url + "&options=-cdefault_tablespace%3Dsmall"
    }
  }
#endif
