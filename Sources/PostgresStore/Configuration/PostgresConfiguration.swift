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
  /// A store is all tables of a ``namespace``, what PostgreSQL calls a schema. It is made when there is none. Several programs on several
  /// machines may use a store at once: a save locks the rows that it changes and compares them with what its context has read.
  ///
  /// ```swift
  /// let configuration = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  /// let container = try ModelContainer(for: Trip.self, configurations: configuration)
  /// ```
  ///
  /// One container may have stores of several kinds, each with entities of its own.
  public struct PostgresConfiguration: DataStoreConfiguration, Hashable, Sendable {
    /// The store that is described.
    public typealias Store = PostgresDataStore

    /// The database: a URL, or a connection string of libpq's. What it leaves out comes from the environment variables, `.pgpass` and the
    /// service files of libpq.
    ///
    /// Of several hosts (`postgresql://trips@one.example.org,two.example.org/trips`) the first is used that answers in its part of the time
    /// and accepts writes, so that a failover is followed. If ``allowsSave`` is off, it need not accept writes; if the string has
    /// `target_session_attrs`, that decides. It is waited for as long as ``connectTimeout`` says.
    public let url: String
    /// The name of the store, for messages.
    public var name: String
    /// The entities of the store; nil for all entities of the container.
    public var schema: Schema?
    /// What PostgreSQL calls a schema: the store is all of it. It is made with the store.
    public var namespace = "swiftdata"
    /// Whether the store may change. If not, it is not made either.
    public var allowsSave = true
    /// What a save does with a new model whose unique values exist in another row.
    public var uniquenessPolicy: ModelConfiguration.UniquenessPolicy = .updateExisting
    /// The most connections of the container to the server, at least two. They are opened when they are needed.
    public var maximumConnections = 10
    /// What is between the program and the server.
    public var pooling: Pooling = .direct
    /// How connections over a network are encrypted, and what is checked of the server.
    public var tls: TLS = .automatic
    /// Gives the password of each new connection; nil where ``url``, the environment or `.pgpass` has it.
    public var password: PasswordSource?
    /// What a save waits for.
    public var durability: Durability = .asServerSays
    /// Standbys that answer fetches, each as ``url``. Saves, and their reads, go to the server that writes. So do fetches while all
    /// standbys are behind or cannot be reached.
    ///
    /// Each has up to ``maximumConnections`` connections.
    public var readerURLs: [String] = []
    /// What fetches from standbys see.
    public var readConsistency: ReadConsistency = .ownWrites
    /// How this container notifies others of its saves, and notices theirs.
    public var propagation: Propagation = .automatic
    /// How long connecting may take, with the look-up of names, all hosts together.
    public var connectTimeout: Duration = .seconds(10)
    /// How long to wait for a connection that others use before throwing `SwiftDataError.storeBusy`.
    public var acquireTimeout: Duration = .seconds(30)
    /// How long the server lets a statement run before a `SwiftDataError.storeBusy`; nil for any time.
    ///
    /// A server that gives no answer for five seconds longer is taken for lost. Without a time, a network that is lost is noticed within
    /// about a minute.
    public var statementTimeout: Duration?
    /// How long a statement waits for rows that another transaction changes before a `SwiftDataError.storeBusy`; nil for any time.
    public var lockTimeout: Duration? = .seconds(30)
    /// How often a save is run again when a concurrent one was in its way, before its error is thrown.
    public var saveRetries = 3
    /// The key that values of `.encrypt` attributes are encrypted with, in the program: the server never has it, nor what they are.
    public var encryptionKey: ModelConfiguration.EncryptionKey?
    /// Keys that stored values may still be encrypted with. They decrypt values and never encrypt them.
    ///
    /// ``ModelContainer/reencrypt(batchSize:progress:)`` makes them unnecessary. Every program that uses the store must have the new
    /// key, here or as its ``encryptionKey``, before the first program encrypts with it.
    public var formerEncryptionKeys: [ModelConfiguration.EncryptionKey] = []
    /// How long the history of the store is kept; `.off` for none.
    public var history: ModelConfiguration.History = .standard
    /// Reports the progress of a migration when the store is opened; nil for no report.
    public var migrationProgress: ModelContainer.MigrationProgress?
    /// How long a migration waits for another program that migrates the store or changes it before throwing
    /// `SwiftDataError.storeBusy`.
    public var migrationTimeout: Duration = .seconds(600)
    /// Whether a migration copies the store first, to the schema `<namespace>_backup` of the database.
    ///
    /// The copy is a store, which programs of the old schema open with that namespace. It is made in the transaction of the migration,
    /// while reads wait, takes the room of the store once more, and stays until the next migration replaces it. Making it takes the
    /// right to make schemas in the database.
    public var keepsMigrationBackup = false
    /// The log of slow statements; nil for none. Its entries have no values.
    public var slowStatementLog: ModelConfiguration.SlowStatementLog?

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - url: The database: `postgresql://user@host/database`, or a connection string of libpq's.
    ///   - name: The name of the store, for messages.
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
    /// - Throws: `SwiftDataError.storeFailure` for one that PostgreSQL cannot have.
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

    /// What opens and seals the encrypted values of a schema; nil when there are none.
    ///
    /// - Throws: `SwiftDataError.encryptionUnavailable` without the trait, `.encryptionKeyMissing` without a key. Nothing has been asked
    ///   of the server then.
    func cipher(for plan: SchemaPlan) throws -> (any ValueCipher)? {
      guard plan.entities.hasEncrypted else { return nil }
      return try ValueEncryption.cipher(for: plan.layouts, key: encryptionKey, formerKeys: formerEncryptionKeys)
    }
  }

  extension PostgresConfiguration {
    /// How connections to the server that writes are made.
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

    /// How connections to a standby are made.
    func settings(reading url: String) -> PostgresSettings {
      var settings = settings
      settings.connection = url
      settings.writes = false
      return settings
    }
  }
#endif
