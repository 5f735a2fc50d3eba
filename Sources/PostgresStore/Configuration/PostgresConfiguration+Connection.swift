#if PostgreSQL
  import Foundation
  import PersistenceSupport

  extension PostgresConfiguration {
    /// How a connection over a network is encrypted, and how the server is verified. Originates with OpenSwiftData.
    ///
    /// Connections by local sockets are not encrypted.
    public enum TLS: Hashable, Sendable {
      /// Like ``verified(authorities:)``, unless the connection string or the variable `PGSSLMODE` has another mode.
      case automatic
      /// The server's certificate must come from a trusted authority and name its host.
      ///
      /// - authorities: The file with the certificates of trusted authorities; nil for that of the connection string,
      ///   the environment or `~/.postgresql/root.crt`, or else for the system's trusted authorities.
      case verified(authorities: String? = nil)
      /// The server's certificate must come from a trusted authority. The host name in it is not checked.
      case verifiedAuthority(authorities: String? = nil)
      /// Encrypted, without checking a certificate: an attacker on the network can read and change everything.
      case unverified
      /// Not encrypted.
      case off
    }

    /// The pooler between the program and the server. Originates with OpenSwiftData.
    public enum Pooling: Hashable, Sendable {
      /// No pooler, or a pooler that assigns a session of the server to each connection.
      case direct
      /// A pooler that assigns any session to each transaction, such as PgBouncer with `pool_mode = transaction`.
      ///
      /// Settings are sent with each transaction. Outside a transaction, the program itself enforces the time limit.
      case transaction
    }

    /// How contexts notice saves of other containers and programs. Originates with OpenSwiftData.
    ///
    /// Each save writes the keys of its changed rows to a table, from which other containers read them. Writes of
    /// programs without the library are not noticed.
    public enum Propagation: Hashable, Sendable {
      /// A separate connection listens for notifications, and live queries update within a tenth of a second. Behind a
      /// transaction pooler, which does not support listening, the table is read every second.
      case automatic
      /// The table is read at an interval, at most a hundred times a second.
      case polling(interval: Duration = .seconds(1))
      /// No notifications are sent or received: contexts see saves of other processes when they fetch.
      case off
    }

    /// What fetches see on standbys, which lag behind the primary server. Originates with OpenSwiftData.
    public enum ReadConsistency: Hashable, Sendable {
      /// Fetches see at least the container's own saves, and the other processes' saves of which it was notified.
      case ownWrites
      /// Fetches see the standby's state, however old. A context may not find what it has just saved.
      case eventual
      /// Fetches see all committed saves: the primary server answers all fetches.
      case primary
    }

    /// The durability for which a save waits: PostgreSQL's `synchronous_commit`. Originates with OpenSwiftData.
    public enum Durability: Hashable, Sendable {
      /// The setting of the server, the database or the user.
      case asServerSays
      /// A save waits for no disk. A server crash may lose the last saves, but never damages the store.
      case processCrash
      /// A save waits for the server's disk.
      case powerFailure
      /// A save waits for the disks of the server and of its synchronous standbys, if any.
      case standbys
      /// A save waits as for ``standbys``, and until the synchronous standbys show it to their readers.
      case visibleOnStandbys

      /// PostgreSQL's value; nil for its default.
      var setting: String? {
        switch self {
        case .asServerSays: nil
        case .processCrash: "off"
        case .powerFailure: "local"
        case .standbys: "on"
        case .visibleOnStandbys: "remote_apply"
        }
      }
    }
  }

  extension PostgresConfiguration.TLS {
    /// The libpq parameters that the connection string may override.
    func defaults(besides connection: String) -> [(name: String, value: String)] {
      let environment = ProcessInfo.processInfo.environment
      var mode = demands.first { $0.name == "sslmode" }?.value
      if self == .automatic {
        mode = PostgresHosts.values(of: connection)["sslmode"] ?? environment["PGSSLMODE"] ?? "verify-full"
      }
      // With a file of authorities, libpq would check the certificate even in modes that need no check.
      guard let mode, mode.hasPrefix("verify") else { return [] }
      let isKnown = environment["PGSSLROOTCERT"] != nil
      return [("sslmode", mode)] + (isKnown ? [] : Self.authorities.map { [("sslrootcert", $0)] } ?? [])
    }

    /// The libpq parameters that override the connection string.
    var demands: [(name: String, value: String)] {
      switch self {
      case .automatic: []
      case .verified(let authorities): Self.demands("verify-full", authorities)
      case .verifiedAuthority(let authorities): Self.demands("verify-ca", authorities)
      case .unverified: [("sslmode", "require")]
      case .off: [("sslmode", "disable")]
      }
    }

    private static func demands(_ mode: String, _ authorities: String?) -> [(name: String, value: String)] {
      [("sslmode", mode)] + (authorities.map { [("sslrootcert", $0)] } ?? [])
    }

    /// The file of the system's trusted authorities, if the user has none for PostgreSQL.
    private static var authorities: String? {
      let files = FileManager.default
      let own = files.homeDirectoryForCurrentUser.path(percentEncoded: false) + "/.postgresql/root.crt"
      guard !files.fileExists(atPath: own) else { return nil }
      let known = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
      ]
      return known.first { files.fileExists(atPath: $0) }
    }
  }
#endif
