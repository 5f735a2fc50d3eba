#if PostgreSQL
  import BenchmarkCore
  import Foundation

  /// A PostgreSQL server that only the benchmark uses. Its data and its socket are in a temporary folder.
  ///
  /// A shell runs the server and waits on a pipe from this process. When the process ends for any reason, the pipe
  /// closes, and the shell stops the server and removes the folder.
  public final class PostgresCluster {
    private let folder: String
    private let shell: Process
    private let pipe: Pipe

    /// Creates a cluster and starts its server.
    ///
    /// - Parameters:
    ///   - flushes: True if commits wait until their data is on the disk. The other benchmarks use SQLite without that.
    ///   - processors: The processors on which the server runs, or nil for all.
    public init(flushes: Bool, processors: ProcessorSet? = nil) throws {
      let programs = try Self.programs()
      // The path of a socket has at most 107 bytes.
      folder = "/tmp/benchmark-pg-" + UUID().uuidString.prefix(8)
      pipe = Pipe()
      shell = Process()
      let command =
        (processors?.command ?? [])
        + ["/bin/sh", "-c", Self.script, "cluster", folder, programs, flushes ? "on" : "off"]
      // PostgreSQL refuses to run as root.
      let asUser = geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
      shell.executableURL = URL(filePath: asUser[0])
      shell.arguments = Array(asUser.dropFirst())
      shell.standardInput = pipe
      shell.standardOutput = FileHandle.nullDevice
      shell.standardError = FileHandle.nullDevice
      shell.currentDirectoryURL = URL(filePath: "/")
      try shell.run()
      try waitUntilReady()
    }

    deinit {
      try? pipe.fileHandleForWriting.close()
      shell.waitUntilExit()
    }

    // Creates the cluster and runs the server. Automatic clean-up is disabled, so that the server cleans up only when
    // the benchmark requests it, and not during a measurement.
    private static let script = """
      folder=$1; programs=$2; export LC_ALL=C.UTF-8
      "$programs/initdb" --no-sync --auth=trust --username=benchmark --encoding=UTF8 --locale-provider=icu \
        --icu-locale=en -D "$folder" > "$folder.log" 2>&1 || exit 1
      "$programs/postgres" -D "$folder" -k "$folder" -c listen_addresses= -c fsync="$3" -c full_page_writes="$3" \
        -c shared_buffers=256MB -c max_wal_size=4GB -c autovacuum=off >> "$folder.log" 2>&1 &
      server=$!
      read -r _
      kill -INT $server; wait $server
      rm -rf "$folder" "$folder.log"
      """

    /// The folder with the programs of the newest installed version.
    private static func programs() throws -> String {
      let root = "/usr/lib/postgresql"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
      for version in names.compactMap({ Int($0) }).sorted().reversed() {
        let folder = "\(root)/\(version)/bin"
        if FileManager.default.isExecutableFile(atPath: folder + "/postgres") { return folder }
      }
      throw LibpqError(message: "there is no server; install it: apt-get install --yes postgresql libpq-dev")
    }

    private func waitUntilReady() throws {
      let deadline = Date(timeIntervalSinceNow: 60)
      while true {
        do {
          _ = try LibpqConnection(url(of: "postgres"))
          return
        } catch {
          guard Date() < deadline, shell.isRunning else { throw error }
          usleep(50_000)
        }
      }
    }

    /// The process identifier of the server's first process.
    public var process: Int32 {
      get throws {
        let text = try String(contentsOfFile: folder + "/postmaster.pid", encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
          throw LibpqError(message: "the server has not said which process it is")
        }
        return process
      }
    }

    /// The version that the server reports.
    public var version: String {
      get throws {
        let connection = try LibpqConnection(url(of: "postgres"))
        let result = try connection.prepare("SELECT split_part(current_setting('server_version'), ' ', 1)").run()
        return result.count == 1 ? result.row(0).text(0) : ""
      }
    }

    /// The connection string of a database on this server.
    private func url(of database: String) -> String { "postgresql://benchmark@/\(database)?host=\(folder)" }

    /// Creates a database, calls `body` with its connection string, and drops the database.
    public func withDatabase<Result>(_ body: (String) throws -> Result) throws -> Result {
      let name = "round_" + UUID().uuidString.replacing("-", with: "").lowercased()
      let connection = try LibpqConnection(url(of: "postgres"))
      try connection.execute("CREATE DATABASE \(name)")
      defer { try? connection.execute("DROP DATABASE \(name) WITH (FORCE)") }
      // The checkpoint writes all changed pages to the disk now, so that the server does not write them during a
      // measurement.
      try connection.execute("CHECKPOINT")
      return try body(url(of: name))
    }

    /// Describes the server with this first process, for a round that uses the database.
    public static func server(of database: String, process: Int32) -> DatabaseServer {
      DatabaseServer(processes: ServerProcesses(first: process)) {
        try LibpqConnection(database).execute("VACUUM (ANALYZE)")
      }
    }
  }
#endif
