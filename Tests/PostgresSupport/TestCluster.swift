#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresStore
  import Waiting

  /// A PostgreSQL server for tests. Its files are in a temporary folder, it listens on a socket in this folder, and it
  /// does not flush writes to the disk.
  ///
  /// A shell starts the server and waits on a pipe from this process. The pipe closes when this process exits or
  /// crashes. The shell then stops the server and removes the folder.
  package final class TestCluster: Sendable {
    /// The server that all tests share, except tests that kill or configure their own server.
    package static let shared = Result { try TestCluster() }

    /// The settings in which a server differs from the shared server.
    package struct Options: Sendable {
      /// Server settings, each written as `name=value`.
      package var settings: [String] = []
      /// The lines of pg_hba.conf. Nil keeps the default, which accepts every connection over the socket without a
      /// password.
      package var access: [String]?
      /// The contents of additional files in the server's folder, by file name.
      package var files: [String: Data] = [:]
      /// The port of 127.0.0.1 on which the server listens; nil if it listens only on its socket.
      package var port: Int?
      /// The primary server, if this server is its standby.
      package var primary: TestCluster?
      /// The folder in which the server's folder is created; nil for ``TestCluster/root``.
      package var root: String?

      package init() {}
    }

    package let folder: String
    private let port: Int
    private let shell: Lock<Process>
    private let pipe: Pipe

    /// Creates the server's folder and starts the server.
    package init(_ change: (inout Options) throws -> Void = { _ in }) throws {
      var options = Options()
      try change(&options)
      let programs = try Self.programs()
      // A socket's path must not exceed 107 bytes, so the folder's name is short.
      folder = (options.root ?? Self.root) + "/osd-pg-" + UUID().uuidString.prefix(8)
      port = options.port ?? 5432
      if let port = options.port { options.settings += ["listen_addresses=127.0.0.1", "port=\(port)"] }
      try Self.write(options, beside: folder)
      pipe = Pipe()
      let shell = Process()
      let command =
        ["/bin/sh", "-c", Self.script, "cluster", folder, programs, options.primary?.folder ?? ""] + options.settings
      // PostgreSQL does not start as root, so the user postgres runs it.
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

    /// Writes the option files to a folder that the server's user can read. The script then copies them into the
    /// server's folder.
    private static func write(_ options: Options, beside folder: String) throws {
      var files = options.files
      if let access = options.access { files["pg_hba.conf"] = Data((access.joined(separator: "\n") + "\n").utf8) }
      let place = URL(filePath: folder + ".files")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place.path(percentEncoded: false))
      for (name, content) in files {
        let file = place.appending(path: name)
        try content.write(to: file)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644], ofItemAtPath: file.path(percentEncoded: false))
      }
    }

    // The database's default collation does not sort by bytes. So a test fails if a statement sorts texts without
    // naming a collation.
    private static let script = """
      folder=$1; programs=$2; primary=$3; shift 3; export LC_ALL=C.UTF-8
      if [ -n "$primary" ]; then
        "$programs/pg_basebackup" -h "$primary" -U osd -D "$folder" -R -X stream -c fast > "$folder.log" 2>&1 || exit 1
        # The socket of the other server is in its folder, and came along.
        rm -f "$folder"/.s.PGSQL.*; chmod 700 "$folder"
      else
        "$programs/initdb" --no-sync --auth=trust --username=osd --encoding=UTF8 --locale-provider=icu --icu-locale=en \
          -D "$folder" > "$folder.log" 2>&1 || exit 1
      fi
      for file in "$folder.files"/*; do
        [ -f "$file" ] && cp "$file" "$folder/" && chmod 600 "$folder/${file##*/}"
      done
      for setting; do set -- "$@" -c "$setting"; shift; done
      begin() {
        "$programs/postgres" -D "$folder" -k "$folder" -c listen_addresses= -c fsync=off -c full_page_writes=off \
          -c shared_buffers=32MB -c max_connections=1500 -c statement_timeout=60s "$@" >> "$folder.log" 2>&1 &
        server=$!
      }
      begin "$@"
      while read -r command; do
        case $command in
        start)
          # Processes of the former server may hold its memory for a moment. A server that the tests have killed meanwhile stays down
          # until they start it again.
          wait $server
          for round in 1 2 3 4 5 6 7 8 9; do
            begin "$@"; sleep 0.3
            kill -0 $server 2>/dev/null && break
            wait $server; [ $? -gt 128 ] && break
          done ;;
        promote) "$programs/pg_ctl" promote -D "$folder" -w >> "$folder.log" 2>&1 ;;
        esac
      done
      kill -INT $server; wait $server
      rm -rf "$folder" "$folder.log" "$folder.files"
      """

    /// The parent folder of servers. It is in memory if the system supports that, because creating a store creates a
    /// file for each table and index.
    package static var root: String {
      var isFolder: ObjCBool = false
      let memory = "/dev/shm"
      return FileManager.default.fileExists(atPath: memory, isDirectory: &isFolder) && isFolder.boolValue
        ? memory : "/tmp"
    }

    /// The folder with the programs of the newest installed PostgreSQL version.
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
      var failure: (any Error)?
      let isReady = try waitUntil {
        do {
          try connect().close()
          return true
        } catch {
          failure = error
          if !shell.withLock({ $0.isRunning }) { throw error }
          return false
        }
      }
      if !isReady, let failure { throw failure }
    }

    // MARK: Use

    package var url: String { "postgresql://osd@/postgres?host=\(folder)&port=\(port)" }

    /// The path of the server's socket.
    package var socket: String { "\(folder)/.s.PGSQL.\(port)" }

    package func connect(_ change: (inout PostgresSettings) -> Void = { _ in }) throws -> PostgresConnection {
      var settings = PostgresSettings(url)
      change(&settings)
      return try PostgresConnection(settings)
    }

    /// Connects, and creates a new, empty namespace (a schema of PostgreSQL).
    package func connectToNamespace() throws -> (connection: PostgresConnection, namespace: String) {
      let connection = try connect()
      let namespace = "Test \(UUID().uuidString)"
      try connection.execute("CREATE SCHEMA \"\(namespace)\"")
      return (connection, namespace)
    }

    /// Kills the server without a shutdown, as a power failure of its machine would.
    package func kill() throws {
      let file = try String(contentsOfFile: folder + "/postmaster.pid", encoding: .utf8)
      guard let process = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
      _ = Foundation.kill(process, SIGKILL)
    }

    /// Starts the server again after it was killed.
    package func start() throws {
      try pipe.fileHandleForWriting.write(contentsOf: Data("start\n".utf8))
      try waitUntilReady()
    }

    /// Starts the server again if it has stopped. A server that restarts by itself after the crash of one of its
    /// processes has not stopped.
    package func startAgainIfEnded() throws {
      var isBack = false
      _ = waitUntil(within: .seconds(30)) {
        isBack = (try? connect().close()) != nil
        return isBack || !FileManager.default.fileExists(atPath: folder + "/postmaster.pid")
      }
      if !isBack { try start() }
    }

    /// Promotes the standby, so that it accepts writes. Returns before the promotion is complete.
    package func promote() throws {
      try pipe.fileHandleForWriting.write(contentsOf: Data("promote\n".utf8))
    }

    /// Stops the server and deletes its folder.
    package func stop() {
      try? pipe.fileHandleForWriting.close()
      shell.withLock { $0.waitUntilExit() }
    }
  }

  /// The error if PostgreSQL is not installed.
  package struct MissingServer: Error, CustomStringConvertible {
    package var description: String {
      "These tests start a PostgreSQL server of their own, and there is none. Install it: "
        + "apt-get install --yes postgresql libpq-dev"
    }
  }
#endif
