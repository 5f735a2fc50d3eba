#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import PersistenceSupport

  /// The servers in a connection string. The connection timeout is divided among them.
  ///
  /// libpq can try several hosts too, but it waits for an unresponsive host until the operating system gives up.
  struct PostgresHosts {
    /// The parameters of a connection attempt to one server, which override those of the connection string.
    typealias Attempt = [(name: String, value: String)]

    private let connection: String
    private let values: [String: String]
    private let writes: Bool
    private let lookup: NameLookup

    init(_ settings: PostgresSettings) {
      connection = settings.connection
      var values = Self.values(of: settings.connection)
      let environment = ProcessInfo.processInfo.environment
      for (name, variable) in Self.variables where values[name] == nil { values[name] = environment[variable] }
      self.values = values.filter { !$0.value.isEmpty }
      writes = settings.writes
      lookup = settings.lookup
    }

    private static let variables = [
      "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "service": "PGSERVICE",
      "target_session_attrs": "PGTARGETSESSIONATTRS",
    ]

    /// The values in a connection string; empty if the string is invalid, which libpq reports when it connects.
    static func values(of connection: String) -> [String: String] {
      let isURL = connection.hasPrefix("postgresql://") || connection.hasPrefix("postgres://")
      // A string that is neither a URL nor has parameters is the name of a database.
      guard isURL || connection.contains("="), let options = PQconninfoParse(connection, nil) else { return [:] }
      defer { PQconninfoFree(options) }
      var values: [String: String] = [:]
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return values
    }

    /// Throws if the connection string is invalid and may contain a password, which libpq's message could quote.
    private static func check(_ connection: String) throws {
      guard values(of: connection).isEmpty, ConnectionText.mayHavePassword(connection) else { return }
      throw PostgresError(
        sqlState: nil,
        message: "the connection string cannot be read. In a URL, encode what is special in user and password, as "
          + "'%40' for '@'; otherwise put values with spaces between single quotes")
    }

    /// Host and port of each server.
    private var servers: [(host: String, port: String?)] {
      let hosts = list("host")
      let ports = list("port")
      return hosts.enumerated().map { index, host in
        (host, ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : nil)
      }
    }

    private func list(_ name: String) -> [String] {
      values[name]?.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      } ?? []
    }

    /// Whether libpq chooses the host: an address or a service is set, or hosts or ports are missing or inconsistent.
    private var isForLibrary: Bool {
      let (hosts, ports) = (list("host"), list("port"))
      return hosts.isEmpty || hosts.contains("") || values["hostaddr"] != nil || values["service"] != nil
        || !(ports.count <= 1 || ports.count == hosts.count) || ports.contains("")
    }

    /// The values of `target_session_attrs` to try, the preferred one first; nil to leave the parameter unchanged.
    private var sessionKinds: [String?] {
      if let kind = values["target_session_attrs"] {
        return kind == "prefer-standby" && !isForLibrary ? ["standby", "any"] : [nil]
      }
      return [writes && max(list("host").count, list("hostaddr").count) > 1 ? "read-write" : nil]
    }

    /// The connection attempts, in the order in which they are made.
    ///
    /// - Throws: `PostgresError` if no host has an address, or the connection string cannot be read.
    func attempts(until deadline: ContinuousClock.Instant) throws -> [Attempt] {
      try Self.check(connection)
      let kinds = sessionKinds.map { kind -> Attempt in kind.map { [("target_session_attrs", $0)] } ?? [] }
      guard !isForLibrary else { return kinds }
      let places = try places(until: deadline)
      return kinds.flatMap { kind in places.map { $0 + kind } }
    }

    private func places(until deadline: ContinuousClock.Instant) throws -> [Attempt] {
      let servers = servers
      // If the look-up of a name takes too long, half of the time remains for the other hosts.
      let half = servers.count == 1 ? deadline : ContinuousClock.now + ContinuousClock.now.duration(to: deadline) / 2
      var places: [Attempt] = []
      var failure: (any Error)?
      for server in servers {
        let place: Attempt = [("host", server.host)] + (server.port.map { [("port", $0)] } ?? [])
        if server.host.hasPrefix("/") || server.host.hasPrefix("@") {
          places.append(place)
          continue
        }
        do {
          places += try lookup.addresses(of: server.host, until: half).map { place + [("hostaddr", $0)] }
        } catch {
          failure = failure ?? error
        }
      }
      if places.isEmpty, let failure { throw failure }
      return places
    }
  }

  extension PostgresHandle {
    /// Connects to the first server that accepts the connection.
    ///
    /// - Throws: `SwiftDataError.storeUnreachable`, or another error of the server.
    static func connect(_ settings: PostgresSettings, until deadline: ContinuousClock.Instant) throws -> PostgresHandle
    {
      let attempts: [PostgresHosts.Attempt]
      do {
        attempts = try PostgresHosts(settings).attempts(until: deadline)
      } catch let error as PostgresError {
        throw error.storeError("PostgreSQL")
      }
      let hosts = Set(attempts.compactMap { $0.first { $0.name == "host" }?.value })
      while true {
        var failures: [(host: String, error: SwiftDataError)] = []
        if let handle = try connect(settings, attempts, &failures, until: deadline) { return handle }
        // With several servers, a failover may be in progress, so all servers are tried again after a pause.
        guard hosts.count > 1, ContinuousClock.now + pause < deadline else { throw joined(failures) }
        usleep(UInt32(pause / .microseconds(1)))
      }
    }

    private static let pause: Duration = .milliseconds(100)

    /// Tries each server once; returns nil if none accepts the connection.
    private static func connect(
      _ settings: PostgresSettings, _ attempts: [PostgresHosts.Attempt],
      _ failures: inout [(host: String, error: SwiftDataError)], until deadline: ContinuousClock.Instant
    ) throws -> PostgresHandle? {
      for (index, attempt) in attempts.enumerated() {
        let now = ContinuousClock.now
        let part = now + now.duration(to: deadline) / (attempts.count - index)
        do {
          return try PostgresHandle(
            connecting: settings.parameters(for: attempt), answerTimeout: settings.answerTimeout, until: part)
        } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.concernsOneServer == true {
          failures.append((attempt.first { $0.name == "host" }?.value ?? "", error))
        }
      }
      return nil
    }

    /// Combines the errors of all servers: the last error code, and all messages.
    private static func joined(_ failures: [(host: String, error: SwiftDataError)]) -> SwiftDataError {
      guard failures.count > 1 else {
        return failures.first?.error ?? SwiftDataError(.storeUnreachable, "There is no server to connect to.")
      }
      var (words, code) = ([String](), String?.none)
      for (host, error) in failures {
        guard let cause = error.underlyingError as? PostgresError else { continue }
        words.append("\(host): \(cause.message)")
        code = cause.sqlState ?? code
      }
      return PostgresError(sqlState: code, message: words.joined(separator: "; ")).storeError("PostgreSQL")
    }
  }

  extension PostgresError {
    /// Whether the error concerns only this server, so that another server may accept the connection.
    fileprivate var concernsOneServer: Bool {
      guard let sqlState else { return true }
      return sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") || sqlState == "53300"
    }
  }
#endif
