#if PostgreSQL
  import Foundation
  import PersistenceSupport

  extension PostgresConfiguration {
    /// How a connection over a network is encrypted, and how the server is verified. Originates with OpenSwiftData.
    ///
    /// Connections through local (Unix domain) sockets are not encrypted.
    public enum TLS: Hashable, Sendable {
      /// Like ``verified(authorities:)``, unless the connection string or the variable `PGSSLMODE` sets another mode.
      case automatic
      /// The server's certificate must be signed by a trusted authority and contain the server's host name.
      ///
      /// - authorities: The file with the certificates of trusted authorities. If nil, the file that the connection
      ///   string or the environment names is used, then `~/.postgresql/root.crt`, then the system's authorities.
      case verified(authorities: String? = nil)
      /// The server's certificate must be signed by a trusted authority. The host name in it is not checked.
      case verifiedAuthority(authorities: String? = nil)
      /// Encrypted, but no certificate is checked: an attacker on the network can read and change all data.
      case unverified
      /// Not encrypted.
      case off
    }

    /// The pooler between the program and the server. Originates with OpenSwiftData.
    public enum Pooling: Hashable, Sendable {
      /// No pooler, or a pooler that assigns a session of the server to each connection.
      case direct
      /// A pooler that may change the server session for each transaction, as PgBouncer with `pool_mode = transaction`.
      ///
      /// Settings are sent with each transaction. Outside a transaction, the program itself enforces
      /// ``PostgresConfiguration/statementTimeout``.
      case transaction
    }

    /// How contexts learn of saves that other containers and programs make. Originates with OpenSwiftData.
    ///
    /// Each save writes the keys of its changed rows to a table, which the other containers read. If a program without
    /// this library changes rows, no context is notified.
    public enum Propagation: Hashable, Sendable {
      /// A separate connection listens for notifications (`LISTEN`), and live queries update within a tenth of a
      /// second. Transaction poolers do not support `LISTEN`: behind one, the table is read every second.
      case automatic
      /// The container reads the table at an interval, at most a hundred times a second.
      case polling(interval: Duration = .seconds(1))
      /// The container sends and receives no notifications: its contexts see other processes' saves when they fetch.
      case off
    }

    /// What fetches return from standbys, which lag behind the primary server. Originates with OpenSwiftData.
    public enum ReadConsistency: Hashable, Sendable {
      /// Fetches see the container's own saves, and other processes' saves once the container was notified of them.
      case ownWrites
      /// Fetches see the state of the standby, however old it is. A fetch may not find what its context has just saved.
      case eventual
      /// Fetches see all committed saves, because the primary server answers all fetches.
      case primary
    }

    /// The durability for which a save waits: PostgreSQL's `synchronous_commit`. Originates with OpenSwiftData.
    public enum Durability: Hashable, Sendable {
      /// Uses the setting of the server, the database or the user.
      case asServerSays
      /// A save does not wait for a disk. A crash of the server may lose the last saves, but never damages the store.
      case processCrash
      /// A save waits until the server has written it to its disk.
      case powerFailure
      /// A save waits until the server and its synchronous standbys, if any, have written it to their disks.
      case standbys
      /// A save also waits until fetches from the synchronous standbys return its changes.
      case visibleOnStandbys

      /// The value of `synchronous_commit`; nil to leave the setting unchanged.
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
    /// The libpq parameters that are used unless the connection string sets them.
    func defaults(besides connection: String) -> [(name: String, value: String)] {
      let environment = ProcessInfo.processInfo.environment
      var mode = demands.first { $0.name == "sslmode" }?.value
      if self == .automatic {
        mode = PostgresHosts.values(of: connection)["sslmode"] ?? environment["PGSSLMODE"] ?? "verify-full"
      }
      // Other modes get no file of authorities: if libpq has one, it checks the certificate in these modes too.
      guard let mode, mode.hasPrefix("verify") else { return [] }
      let isKnown = environment["PGSSLROOTCERT"] != nil
      return [("sslmode", mode)] + (isKnown ? [] : Self.authorities.map { [("sslrootcert", $0)] } ?? [])
    }

    /// The libpq parameters that override those of the connection string.
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

    /// The file of the system's trusted authorities; nil if the user has a `~/.postgresql/root.crt`.
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
