#if PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceStores
  import PersistenceSupport
  import ValueEncryption

  /// The description of a store in a PostgreSQL database. Originates with OpenSwiftData.
  ///
  /// A store is all tables of a ``namespace`` (in PostgreSQL: a schema), and is created if missing. Several programs on
  /// several machines may use it: a save locks the rows that it changes and compares them with what its context read.
  ///
  /// ```swift
  /// let configuration = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  /// let container = try ModelContainer(for: Trip.self, configurations: configuration)
  /// ```
  ///
  /// A container may combine stores of several kinds, each with its own entities.
  public struct PostgresConfiguration: DataStoreConfiguration, Hashable, Sendable {
    /// The type of the store.
    public typealias Store = PostgresDataStore

    /// The database: a URL, or a libpq connection string. Missing parts come from libpq's environment variables,
    /// `.pgpass` and service files.
    ///
    /// If the URL has several hosts (`postgresql://trips@one.example.org,two.example.org/trips`), a connection uses the
    /// first host that accepts writes and answers in its share of ``connectTimeout``. New connections therefore follow
    /// a failover. If ``allowsSave`` is off, the host need not accept writes; `target_session_attrs` overrides both
    /// rules.
    public let url: String
    /// The name of the store in messages.
    public var name: String
    /// The entities of the store; nil for all entities of the container.
    public var schema: Schema?
    /// The PostgreSQL schema that contains this store and nothing else. It is created with the store.
    public var namespace = "swiftdata"
    /// Whether the program may create, change and migrate the store.
    public var allowsSave = true
    /// What a save does with a new model whose unique values exist in another row.
    public var uniquenessPolicy: ModelConfiguration.UniquenessPolicy = .updateExisting
    /// The maximum number of the container's connections to the server, at least two. They are opened when needed.
    public var maximumConnections = 10
    /// The pooler between the program and the server, if any.
    public var pooling: Pooling = .direct
    /// How connections over a network are encrypted, and how the server is verified.
    public var tls: TLS = .automatic
    /// Returns the password for each new connection; nil if ``url``, the environment or `.pgpass` contains it.
    public var password: PasswordSource?
    /// The durability for which a save waits.
    public var durability: Durability = .asServerSays
    /// The URLs of standbys that answer fetches (see ``url``). Saves, and the reads that belong to a save, use the
    /// primary server. Fetches also use it while all standbys are unreachable or too far behind.
    ///
    /// Each standby has up to ``maximumConnections`` connections.
    public var readerURLs: [String] = []
    /// The consistency of fetches from standbys.
    public var readConsistency: ReadConsistency = .ownWrites
    /// How this container notifies other containers of its saves, and notices their saves.
    public var propagation: Propagation = .automatic
    /// The timeout of a connection attempt, including the look-up of names, for all hosts together.
    public var connectTimeout: Duration = .seconds(10)
    /// How long a thread waits while all connections are in use, before `SwiftDataError.storeBusy` is thrown.
    public var acquireTimeout: Duration = .seconds(30)
    /// The server's time limit for a statement, after which `SwiftDataError.storeBusy` is thrown; nil for none.
    ///
    /// If the server has not answered five seconds after the limit, the connection is closed. Without a limit, a
    /// network failure is detected within about a minute.
    public var statementTimeout: Duration?
    /// How long a statement waits for locked rows, before `SwiftDataError.storeBusy` is thrown; nil for no limit.
    public var lockTimeout: Duration? = .seconds(30)
    /// How often a save that failed because of a concurrent save is repeated, before its error is thrown.
    public var saveRetries = 3
    /// The key for `.encrypt` attributes. The program encrypts: the server never receives the key or the plain values.
    public var encryptionKey: ModelConfiguration.EncryptionKey?
    /// Older keys with which stored values may still be encrypted. These keys are used only to decrypt.
    ///
    /// ``ModelContainer/reencrypt(batchSize:progress:)`` encrypts these values with the new key. Every program that
    /// uses the store must have the new key, here or as its ``encryptionKey``, before any of them encrypts with it.
    public var formerEncryptionKeys: [ModelConfiguration.EncryptionKey] = []
    /// The limits of the store's history; `.off` to record none.
    public var history: ModelConfiguration.History = .standard
    /// Reports the progress of a migration when the store is opened; nil for no report.
    public var migrationProgress: ModelContainer.MigrationProgress?
    /// How long a migration waits for another program that migrates or changes the store, before
    /// `SwiftDataError.storeBusy` is thrown.
    public var migrationTimeout: Duration = .seconds(600)
    /// Whether a migration first copies the store, to the schema `<namespace>_backup` of the database.
    ///
    /// The copy is a store: programs with the old schema can open it with the namespace `<namespace>_backup`. The
    /// migration creates it in its own transaction, while reads wait. It needs as much space as the store and exists
    /// until the next migration replaces it. The user needs the right to create schemas in the database.
    public var keepsMigrationBackup = false
    /// The log of slow statements; nil for none. Its entries contain the SQL text, but no parameter values.
    public var slowStatementLog: ModelConfiguration.SlowStatementLog?

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - url: The database: `postgresql://user@host/database`, or a libpq connection string.
    ///   - name: The name of the store in messages.
    ///   - schema: The entities of the store; nil for all entities of the container.
    public init(_ url: String, name: String = "PostgreSQL", schema: Schema? = nil) {
      self.url = url
      self.name = name
      self.schema = schema
    }
  }

  extension PostgresConfiguration: EngineConfiguration {
    /// The database and the namespace, without a password.
    package var storeLocation: String { "\(ConnectionText.withoutPasswords(url)), schema \"\(namespace)\"" }

    /// Checks the name of the namespace.
    ///
    /// - Throws: `SwiftDataError.storeFailure` for a name that PostgreSQL does not allow.
    public func validate() throws {
      guard !namespace.isEmpty, namespace.utf8.count <= 63, !namespace.utf8.contains(0), !namespace.hasPrefix("pg_")
      else {
        throw SwiftDataError(
          .storeFailure,
          "'\(namespace)' cannot be the name of a schema of PostgreSQL: it takes 1 to 63 bytes and no 'pg_' at its start."
        )
      }
      guard !keepsMigrationBackup || (namespace + PostgresMigrationBackup.suffix).utf8.count <= 63 else {
        throw SwiftDataError(
          .storeFailure,
          "The schema '\(namespace)' can have no backup (keepsMigrationBackup): with '\(PostgresMigrationBackup.suffix)' at its end its "
            + "name is longer than 63 bytes.")
      }
    }

    /// The cipher for the encrypted values of a schema; nil if there are none.
    ///
    /// - Throws: `SwiftDataError.encryptionUnavailable` if the package is built without its trait `Encryption`, and
    ///   `.encryptionKeyMissing` without a key. Both are thrown before the server is contacted.
    func cipher(for plan: SchemaPlan) throws -> (any ValueCipher)? {
      guard plan.entities.hasEncrypted else { return nil }
      return try ValueEncryption.cipher(for: plan.layouts, key: encryptionKey, formerKeys: formerEncryptionKeys)
    }
  }

  extension PostgresConfiguration {
    /// The settings of connections to the primary server.
    var settings: PostgresSettings {
      var settings = PostgresSettings(url)
      settings.passwordSource = password
      settings.tls = tls
      settings.connectTimeout = connectTimeout
      settings.statementTimeout = statementTimeout
      settings.lockTimeout = lockTimeout
      settings.answerTimeout = statementTimeout.map { $0 + .seconds(5) }
      settings.durability = durability
      settings.isPooled = pooling == .transaction
      settings.writes = allowsSave
      settings.slowStatementLog = slowStatementLog
      return settings
    }

    /// The settings of connections to a standby.
    func settings(reading url: String) -> PostgresSettings {
      var settings = settings
      settings.connection = url
      settings.writes = false
      return settings
    }
  }
#endif
