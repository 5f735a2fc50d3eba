#if PostgreSQL
  import Foundation

  /// A folder with a fixed capacity, like a small disk: a mounted tmpfs. Requires root.
  package struct SmallDisk {
    /// Whether this process can mount such a folder.
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

    /// Changes the capacity, which must be at least the used space.
    package func resize(kilobytes: Int) throws {
      try TestNetwork.run(["mount", "-o", "remount,size=\(kilobytes)k", folder])
    }

    /// The used capacity.
    package func usedKilobytes() throws -> Int {
      var state = statvfs()
      guard statvfs(folder, &state) == 0 else { throw NetworkFailure(code: errno) }
      return Int(state.f_blocks - state.f_bfree) * Int(state.f_frsize) / 1_024
    }

    package func remove() {
      try? TestNetwork.run(["umount", "-l", folder])
      try? FileManager.default.removeItem(atPath: folder)
    }

    /// Creates a tablespace on the disk, and returns the URL with which a program creates its tables there.
    ///
    /// The server's other files are elsewhere: a write-ahead log without room would end the server.
    package func makePlace(on cluster: TestCluster) throws -> String {
      try FileManager.default.createDirectory(atPath: folder + "/tables", withIntermediateDirectories: true)
      try TestNetwork.run(["chown", "-R", "postgres", folder])
      try cluster.connect().execute("CREATE TABLESPACE small LOCATION '\(folder)/tables'")
      return cluster.url + "&options=-cdefault_tablespace%3Dsmall"
    }
  }
#endif
