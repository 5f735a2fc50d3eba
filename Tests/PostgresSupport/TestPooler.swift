#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import Waiting

  /// A PgBouncer process in front of a server, in transaction mode or in session mode.
  package final class TestPooler: Sendable {
    /// Whether PgBouncer is installed on this machine.
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private static let program = "/usr/sbin/pgbouncer"
    private static let port = 6432

    private let folder: String
    private let process: Lock<Process>

    /// - Parameters:
    ///   - sessions: The number of server sessions, which all connected programs share.
    ///   - keepsSessions: True for session mode, in which a program keeps one server session as long as it is
    ///     connected. Otherwise PgBouncer assigns a session to each transaction.
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
      // PgBouncer does not start as root, so the user postgres runs it.
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

    /// The path of PgBouncer's socket.
    package var socket: String { "\(folder)/.s.PGSQL.\(Self.port)" }

    package var url: String { "postgresql://osd@/postgres?host=\(folder)&port=\(Self.port)" }

    private func waitUntilReady() throws {
      let isReady = waitUntil { FileManager.default.fileExists(atPath: socket) }
      guard isReady else { throw NetworkFailure(code: ETIMEDOUT) }
    }

    package func stop() {
      process.withLock { process in
        // If runuser started PgBouncer, it forwards the signal to it.
        process.terminate()
        process.waitUntilExit()
      }
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
#endif
