#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import Waiting

  /// PgBouncer before a server, with a session of the server for each transaction, or for each session of a program.
  package final class TestPooler: Sendable {
    /// Whether there is PgBouncer on this machine.
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private static let program = "/usr/sbin/pgbouncer"
    private static let port = 6432

    private let folder: String
    private let process: Lock<Process>

    /// - Parameters:
    ///   - sessions: How many sessions of the server there are for all programs.
    ///   - keepsSessions: Whether a program keeps one as long as it is connected.
    package init(to cluster: TestCluster, sessions: Int, keepsSessions: Bool = false) throws {
      folder = "/tmp/osd-pooler-" + UUID().uuidString.prefix(8)
      let files = FileManager.default
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      let settings = """
        [databases]
        postgres = host=\(cluster.folder) user=osd
        [pgbouncer]
        listen_addr =
        listen_port = \(Self.port)
        unix_socket_dir = \(folder)
        auth_type = any
        pool_mode = \(keepsSessions ? "session" : "transaction")
        default_pool_size = \(sessions)
        logfile = \(folder)/log
        pidfile = \(folder)/pid

        """
      try Data(settings.utf8).write(to: URL(filePath: folder + "/settings.ini"))
      let process = Process()
      let command = [Self.program, folder + "/settings.ini"]
      // It refuses to run as root.
      let asUser = geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
      process.executableURL = URL(filePath: asUser[0])
      process.arguments = Array(asUser.dropFirst())
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      self.process = Lock(process)
      try waitUntilReady()
    }

    /// The path of the socket.
    package var socket: String { "\(folder)/.s.PGSQL.\(Self.port)" }

    package var url: String { "postgresql://osd@/postgres?host=\(folder)&port=\(Self.port)" }

    private func waitUntilReady() throws {
      let isReady = waitUntil { FileManager.default.fileExists(atPath: socket) }
      guard isReady else { throw NetworkFailure(code: ETIMEDOUT) }
    }

    package func stop() {
      process.withLock { process in
        // The process of runuser hands the signal on.
        process.terminate()
        process.waitUntilExit()
      }
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
#endif
