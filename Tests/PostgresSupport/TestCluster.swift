#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresStore

  /// A server of the tests' own: in a temporary folder, on a socket in it, without flushing to the disk.
  ///
  /// A shell runs the server and waits on a pipe from this process. When the process ends, in whatever way, the pipe does, and the shell
  /// stops the server and removes the folder.
  package final class TestCluster: Sendable {
    /// The server of all tests that do not end it.
    package static let shared = Result { try TestCluster() }

    package let folder: String
    private let shell: Lock<Process>
    private let pipe: Pipe

    /// Makes a cluster and starts its server.
    package init() throws {
      let programs = try Self.programs()
      // A path of a socket has at most 107 bytes.
      folder = Self.root + "/osd-pg-" + UUID().uuidString.prefix(8)
      pipe = Pipe()
      let shell = Process()
      let command = ["/bin/sh", "-c", Self.script, "cluster", folder, programs]
      // PostgreSQL refuses to run as root.
      let asUser = geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
      shell.executableURL = URL(filePath: asUser[0])
      shell.arguments = Array(asUser.dropFirst())
      shell.standardInput = pipe
      shell.standardOutput = FileHandle.nullDevice
      shell.standardError = FileHandle.nullDevice
      shell.currentDirectoryURL = URL(filePath: "/")
      try shell.run()
      self.shell = Lock(shell)
      try waitUntilReady()
    }

    // The database's own order is not that of bytes, so that what lacks a collation is found.
    private static let script = """
      folder=$1; programs=$2; export LC_ALL=C.UTF-8
      "$programs/initdb" --no-sync --auth=trust --username=osd --encoding=UTF8 --locale-provider=icu --icu-locale=en \
        -D "$folder" > "$folder.log" 2>&1 || exit 1
      "$programs/postgres" -D "$folder" -k "$folder" -c listen_addresses= -c fsync=off -c full_page_writes=off \
        -c shared_buffers=32MB -c max_connections=300 -c statement_timeout=60s >> "$folder.log" 2>&1 &
      server=$!
      read -r _
      kill -INT $server; wait $server
      rm -rf "$folder" "$folder.log"
      """

    /// In memory where the system has such a folder: making a store makes a file for each table and index.
    package static var root: String {
      var isFolder: ObjCBool = false
      let memory = "/dev/shm"
      return FileManager.default.fileExists(atPath: memory, isDirectory: &isFolder) && isFolder.boolValue
        ? memory : "/tmp"
    }

    /// Where the server's programs are; those of the newest version.
    private static func programs() throws -> String {
      let root = "/usr/lib/postgresql"
      let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        .sorted()
      for version in versions.reversed() {
        let folder = "\(root)/\(version)/bin"
        if FileManager.default.isExecutableFile(atPath: folder + "/postgres") { return folder }
      }
      throw MissingServer()
    }

    private func waitUntilReady() throws {
      let deadline = Date(timeIntervalSinceNow: 60)
      while true {
        do {
          return try connect().close()
        } catch {
          guard Date() < deadline, shell.withLock({ $0.isRunning }) else { throw error }
          usleep(50_000)
        }
      }
    }

    // MARK: Use

    package var url: String { "postgresql://osd@/postgres?host=\(folder)" }

    package func connect(_ change: (inout PostgresSettings) -> Void = { _ in }) throws -> PostgresConnection {
      var settings = PostgresSettings(url)
      change(&settings)
      return try PostgresConnection(settings)
    }

    /// A connection with a namespace of its own, which is empty.
    package func connectToNamespace() throws -> (connection: PostgresConnection, namespace: String) {
      let connection = try connect()
      let namespace = "Test \(UUID().uuidString)"
      try connection.execute("CREATE SCHEMA \"\(namespace)\"")
      return (connection, namespace)
    }

    /// Ends the server at once, as a failure of its machine would.
    package func kill() throws {
      let file = try String(contentsOfFile: folder + "/postmaster.pid", encoding: .utf8)
      guard let process = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
      _ = Foundation.kill(process, SIGKILL)
    }

    /// Stops the server and removes its folder.
    package func stop() {
      try? pipe.fileHandleForWriting.close()
      shell.withLock { $0.waitUntilExit() }
    }
  }

  /// There is no server to test with.
  package struct MissingServer: Error, CustomStringConvertible {
    package var description: String {
      "These tests start a PostgreSQL server of their own, and there is none. Install it: "
        + "apt-get install --yes postgresql libpq-dev"
    }
  }
#endif
