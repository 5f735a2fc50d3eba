#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A server that listens on TCP, requires a password, and has a certificate for `localhost`.
  private struct SecureServer {
    static let shared = Result { try SecureServer() }

    let cluster: TestCluster
    let port: Int

    /// The path of the authority's certificate in the server's folder.
    var authority: String { cluster.folder + "/authority.pem" }

    init() throws {
      let certificate = try TestCertificate(for: "localhost")
      defer { certificate.remove() }
      let port = try TestNetwork.freePort()
      cluster = try TestCluster {
        ($0.port, $0.settings) = (port, ["ssl=on"])
        $0.access = [
          "local all all trust", "host all all 127.0.0.1/32 scram-sha-256", "local replication all trust",
        ]
        $0.files = [
          "server.crt": try certificate.content("server.crt"), "server.key": try certificate.content("server.key"),
          "authority.pem": try certificate.content("authority.pem"),
        ]
      }
      self.port = port
    }

    func url(_ user: String, host: String = "localhost", database: String = "postgres") -> String {
      "postgresql://\(user)@\(host):\(port)/\(database)"
    }

    /// Creates a user who logs in with the password. Returns the user's name.
    func makeUser(_ password: String) throws -> String {
      let name = "user" + UUID().uuidString.prefix(8).lowercased()
      try owner().execute(
        "CREATE ROLE \(name) LOGIN PASSWORD '\(password)'; GRANT CREATE ON DATABASE postgres TO \(name)")
      return name
    }

    func owner() throws -> PostgresConnection { try cluster.connect() }
  }

  private func settings(_ url: String, _ change: (inout PostgresSettings) -> Void = { _ in }) -> PostgresSettings {
    var settings = PostgresSettings(url)
    settings.connectTimeout = .seconds(5)
    change(&settings)
    return settings
  }

  private func code(_ error: SwiftDataError?) -> String? {
    (error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState
  }

  @Suite("Connections over a network", .timeLimit(.minutes(2)))
  struct SecurityTests {
    @Test(
      "a connection accepts only a certificate of a trusted authority for the host's name, unless configured otherwise")
    func certificates() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      func connect(_ host: String, _ tls: PostgresConfiguration.TLS) throws {
        try PostgresConnection(
          settings(server.url(user, host: host)) { ($0.password, $0.tls) = ("secret", tls) }
        ).execute("SELECT 1")
      }
      let authority = server.authority
      try connect("localhost", .verified(authorities: authority))
      try connect("127.0.0.1", .verifiedAuthority(authorities: authority))
      try connect("localhost", .unverified)
      for (host, tls) in [
        ("localhost", .automatic), ("localhost", .verified()), ("127.0.0.1", .verified(authorities: authority)),
      ] as [(String, PostgresConfiguration.TLS)] {
        let error = #expect(throws: SwiftDataError.self) { try connect(host, tls) }
        #expect(error == .storeUnreachable)
        #expect(error?.explanation?.contains("certificate") == true)
      }
    }

    @Test("the connection string determines the encryption if the configuration does not")
    func stringWins() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      let url = server.url(user) + "?sslmode=disable"
      try PostgresConnection(settings(url) { $0.password = "secret" }).execute("SELECT 1")
      let error = #expect(throws: SwiftDataError.self) {
        try PostgresConnection(settings(url) { ($0.password, $0.tls) = ("secret", .verified()) })
      }
      #expect(error == .storeUnreachable)
    }

    @Test("a connection is encrypted unless encryption is off")
    func encryption() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      let kinds: [(PostgresConfiguration.TLS, Int64)] = [
        (.verified(authorities: server.authority), 1), (.unverified, 1), (.off, 0),
      ]
      for (tls, isEncrypted) in kinds {
        let connection = try PostgresConnection(
          settings(server.url(user)) { ($0.password, $0.tls) = ("secret", tls) })
        let result = try connection.run(
          PostgresStatement("SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
        #expect(result.integer(0, 0) == isEncrypted)
      }
    }

    @Test("connecting with a wrong password throws an error with the server's code; without a password it throws too")
    func wrongPassword() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      for password in ["wrong", nil] as [String?] {
        let error = #expect(throws: SwiftDataError.self) {
          try PostgresConnection(settings(server.url(user)) { ($0.password, $0.tls) = (password, .unverified) })
        }
        #expect(error == .storeUnreachable)
        #expect(code(error) == "28P01")
        #expect(error?.explanation?.contains("password") == true)
        #expect(error?.explanation?.contains("LOCATION") == false)
      }
    }

    @Test("the password is requested for each connection, and once more after the server rejects it")
    func rotation() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("second")
      let asked = Lock(0)
      let source = PostgresConfiguration.PasswordSource {
        asked.withLock { count in
          count += 1
          return count == 1 ? "first" : "second"
        }
      }
      let settings = settings(server.url(user)) { ($0.passwordSource, $0.tls) = (source, .unverified) }
      try PostgresConnection(settings).execute("SELECT 1")
      #expect(asked.withLock { $0 } == 2)
      try PostgresConnection(settings).execute("SELECT 1")
      #expect(asked.withLock { $0 } == 3)
      let wrong = PostgresConfiguration.PasswordSource {
        asked.withLock { $0 += 10 }
        return "wrong"
      }
      var others = settings
      others.passwordSource = wrong
      let error = #expect(throws: SwiftDataError.self) { try PostgresConnection(others) }
      #expect(code(error) == "28P01")
      #expect(asked.withLock { $0 } == 23)
    }

    @Test("libpq's password file is used if neither the connection string nor the configuration has a password")
    func passwordFile() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      let file = FileManager.default.temporaryDirectory.appending(path: "osd-pass-\(user)")
      defer { try? FileManager.default.removeItem(at: file) }
      func write(_ password: String) throws {
        try Data("localhost:*:*:\(user):\(password)\n".utf8).write(to: file)
        // libpq ignores a password file that other users may read.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      }
      var configuration = PostgresConfiguration(server.url(user) + "?passfile=\(file.path)")
      configuration.tls = .verified(authorities: server.authority)
      configuration.namespace = "File \(UUID().uuidString)"
      try write("wrong")
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      }
      #expect(code(error) == "28P01")
      try write("secret")
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      context.insert(Holder("Ann"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 1)
    }

    @Test("the environment provides settings that the string omits, including those for checking the certificate")
    func environment() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      let namespace = "Environment \(user)"
      func write(_ others: [String]) throws -> (lines: [String], status: Int32) {
        let kept = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }.map { "\($0)=\($1)" }
        let own = [
          "PGHOST=localhost", "PGPORT=\(server.port)", "PGUSER=\(user)", "PGDATABASE=postgres", "PGPASSWORD=secret",
          "PGSSLROOTCERT=\(server.authority)",
        ]
        let names = Set(others.map { $0.prefix { $0 != "=" } })
        let environment = kept + own.filter { !names.contains($0.prefix { $0 != "=" }) } + others
        return try ProgramProcess(
          "SharedStoreProcess", ["write", "postgresql://#\(namespace)", "writer", "2"], environment: environment,
          showsErrors: false
        ).end()
      }
      let end = try write([])
      #expect(end.lines == ["saved 0", "saved 1"])
      #expect(end.status == 0)
      for other in ["PGPASSWORD=wrong", "PGSSLROOTCERT=/nowhere", "PGHOST=127.0.0.1"] {
        let refused = try write([other])
        #expect(refused.lines == [])
        #expect(refused.status != 0)
      }
      let count = try server.owner().run(PostgresStatement("SELECT count(*) FROM \"\(namespace)\".\"Entry\""))
      #expect(count.integer(0, 0) == 2)
    }

    @Test(
      "a failed connection throws a descriptive error within its timeout, and no container and nothing else is created",
      arguments: [
        ("password", "password"), ("certificate", "certificate"), ("encoding", "LATIN1"),
        ("connections", "max_connections"),
      ])
    func refusedContainer(_ refusal: String, _ words: String) throws {
      let server = try SecureServer.shared.get()
      let (user, owner) = (try server.makeUser("secret"), try server.owner())
      let database = refusal == "encoding" ? user : "postgres"
      var configuration = PostgresConfiguration(server.url(user, database: database))
      configuration.password = PostgresConfiguration.PasswordSource { refusal == "password" ? "wrong" : "secret" }
      configuration.tls = refusal == "certificate" ? .verified() : .verified(authorities: server.authority)
      configuration.namespace = "Refused \(UUID().uuidString)"
      configuration.connectTimeout = .seconds(5)
      if refusal == "encoding" {
        try owner.execute(
          "CREATE DATABASE \(user) ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
      }
      if refusal == "connections" { try owner.execute("ALTER ROLE \(user) CONNECTION LIMIT 0") }
      let start = ContinuousClock.now
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      }
      #expect(start.duration(to: .now) < .seconds(10))
      #expect(error?.explanation?.contains(words) == true, "\(error?.explanation ?? "")")
      #expect(error?.explanation?.contains("secret") == false)
      let made = try owner.run(
        PostgresStatement("SELECT count(*) FROM pg_namespace WHERE nspname = '\(configuration.namespace)'"))
      #expect(made.integer(0, 0) == 0)
    }

    @Test("an error has the server's code if all connections of the server are in use")
    func tooMany() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      try server.owner().execute("ALTER ROLE \(user) CONNECTION LIMIT 0")
      let error = #expect(throws: SwiftDataError.self) {
        try PostgresConnection(settings(server.url(user)) { ($0.password, $0.tls) = ("secret", .unverified) })
      }
      #expect(error == .storeBusy)
      #expect(code(error) == "53300")
    }
  }

  @Suite("Host names in connection strings", .timeLimit(.minutes(2)))
  struct HostTests {
    @Test("resolving a host name takes no longer than the connect timeout")
    func slowLookup() throws {
      // The simulated name lookup returns nothing until the connect timeout has elapsed.
      let isGivenUp = DispatchSemaphore(value: 0)
      defer { isGivenUp.signal() }
      let lookup = NameLookup { _ in
        _ = isGivenUp.wait(timeout: .now() + 20)
        return ["127.0.0.1"]
      }
      let start = ContinuousClock.now
      let error = #expect(throws: SwiftDataError.self) {
        try PostgresConnection(
          settings("postgresql://osd@slow.example.org/postgres") {
            ($0.lookup, $0.connectTimeout) = (lookup, .milliseconds(300))
          })
      }
      #expect(error == .storeUnreachable)
      #expect(error?.explanation?.contains("slow.example.org") == true)
      #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test("hosts are tried in order; hosts without an address, without a response or with a rejection are skipped")
    func severalHosts() throws {
      let server = try SecureServer.shared.get()
      let user = try server.makeUser("secret")
      let silent = try TestNetwork.listener()
      defer { close(silent.descriptor) }
      let lookup = NameLookup { host in
        guard host != "unknown.example.org" else {
          throw SwiftDataError.PostgresError(sqlState: nil, message: "unknown")
        }
        return ["127.0.0.1"]
      }
      let closed = try TestNetwork.freePort()
      let hosts =
        "unknown.example.org:1,silent.example.org:\(silent.port),closed.example.org:\(closed),localhost:\(server.port)"
      let connection = try PostgresConnection(
        settings("postgresql://\(user)@\(hosts)/postgres") {
          ($0.lookup, $0.password, $0.tls) = (lookup, "secret", .verified(authorities: server.authority))
        })
      try connection.execute("SELECT 1")
      #expect(connection.location.hasSuffix("localhost"))
      let error = #expect(throws: SwiftDataError.self) {
        try PostgresConnection(
          settings("postgresql://\(user)@silent.example.org:\(silent.port),closed.example.org:\(closed)/postgres") {
            ($0.lookup, $0.connectTimeout) = (lookup, .milliseconds(600))
          })
      }
      #expect(error?.explanation?.contains("too long") == true)
      #expect(error?.explanation?.contains("closed.example.org") == true)
    }
  }

  @Suite("Configurations of stores in PostgreSQL", .timeLimit(.minutes(2)))
  struct ConfigurationTests {
    private func configuration() throws -> PostgresConfiguration {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Configuration \(UUID().uuidString)"
      return configuration
    }

    private enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [First.self] }
      static var stages: [MigrationStage] { [] }

      enum First: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        static var models: [any PersistentModel.Type] { [Holder.self, Holding.self, Ship.self, Footnote.self] }
      }
    }

    @Test("one container can have stores in SQLite and in PostgreSQL, with a migration plan")
    func severalEngines() throws {
      var store = try configuration()
      store.schema = Schema([Holder.self, Holding.self, Ship.self])
      let memory = ModelConfiguration("remarks", schema: Schema([Footnote.self]), isStoredInMemoryOnly: true)
      let container = try ModelContainer(
        for: Holder.self, Ship.self, Footnote.self, migrationPlan: Plan.self, configurations: store, memory)
      let context = ModelContext(container)
      context.insert(Holder("Ann"))
      context.insert(Footnote("of Ann"))
      try context.save()
      let other = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: store))
      #expect(try other.fetch(FetchDescriptor<Holder>()).map(\.name) == ["Ann"])
      #expect(try ModelContext(container).fetch(FetchDescriptor<Footnote>()).map(\.text) == ["of Ann"])
      #expect(container.configurations.map(\.name) == ["remarks"])
      #expect(container.storeIdentifier(forConfigurationNamed: store.name) != nil)
    }

    @Test("a configuration opens a store that returns snapshots without a container")
    func snapshots() throws {
      var store = try configuration()
      store.schema = Schema([Holder.self, Holding.self, Ship.self])
      let first = try PostgresDataStore(store)
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: store))
      context.insert(Holder("Ann"))
      try context.save()
      let request = DataStoreFetchRequest(descriptor: FetchDescriptor<Holder>(), editingState: EditingState())
      #expect(try first.fetch(request).fetchedSnapshots.count == 1)
      #expect(try first.fetchCount(request) == 1)
      try first.erase()
      #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 0)
    }

    @Test(
      "sets the server's timeouts and durability; with a pooler, only within transactions", arguments: [false, true])
    func serverSettings(_ isPooled: Bool) throws {
      let cluster = try TestCluster.shared.get()
      var settings = PostgresSettings(cluster.url)
      settings.statementTimeout = .seconds(7)
      settings.lockTimeout = .seconds(3)
      settings.durability = .processCrash
      settings.isPooled = isPooled
      let connection = try PostgresConnection(settings)
      func values() throws -> [String?] {
        try ["statement_timeout", "lock_timeout", "synchronous_commit"].map {
          try connection.run(PostgresStatement("SHOW \($0)")).text(0, 0)
        }
      }
      if isPooled { #expect(try values() == ["1min", "0", "on"]) }
      try connection.execute((["BEGIN"] + settings.transactionPreparation).joined(separator: "; "))
      #expect(try values() == ["7s", "3s", "off"])
      try connection.execute("COMMIT")
      if isPooled { #expect(try values() == ["1min", "0", "on"]) }
    }

    @Test("cancelling a task cancels its fetch on the server, and the connection stays usable")
    func cancelledFetch() async throws {
      let cluster = try TestCluster.shared.get()
      var store = try configuration()
      store.lockTimeout = .seconds(50)
      store.maximumConnections = 2
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: store)
      let other = try cluster.connect()
      try other.execute("BEGIN; LOCK TABLE \"\(store.namespace)\".\"Holder\"")
      let database = ModelDatabase(modelContainer: container)
      let task = Task {
        try await database.withModelContext { try $0.fetch(FetchDescriptor<Holder>()).count }
      }
      // Waits until the server blocks the statement at the lock.
      let waiting = PostgresStatement(
        "SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n "
          + "ON n.oid = c.relnamespace WHERE NOT l.granted AND n.nspname = '\(store.namespace)'")
      let watch = try cluster.connect()
      #expect(try await eventually { try watch.run(waiting).integer(0, 0) == 1 })
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(start.duration(to: .now) < .seconds(10))
      try other.execute("ROLLBACK")
      #expect(try await database.withModelContext { try $0.fetchCount(FetchDescriptor<Holder>()) } == 0)
    }
  }

  @Model
  final class Footnote {
    var text: String

    init(_ text: String) {
      self.text = text
    }
  }
#endif
