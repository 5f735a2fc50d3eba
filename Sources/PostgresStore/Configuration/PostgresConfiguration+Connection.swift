#if PostgreSQL
  import Foundation
  import PersistenceSupport

  extension PostgresConfiguration {
    /// How a connection over a network is encrypted, and what is checked of the server. Originates with OpenSwiftData.
    ///
    /// Connections by sockets of the machine itself are not encrypted.
    public enum TLS: Hashable, Sendable {
      /// As ``verified(authorities:)``, unless the connection string or the environment variable `PGSSLMODE` says otherwise.
      case automatic
      /// The server's certificate is one of an authority that is trusted, and for the name of its host.
      ///
      /// - authorities: The file with the certificates of trusted authorities; nil for the one that the connection string, the
      ///   environment or `~/.postgresql/root.crt` has, or else for those that the system trusts.
      case verified(authorities: String? = nil)
      /// The same, for a host of any name.
      case verifiedAuthority(authorities: String? = nil)
      /// Encrypted, and no certificate is checked: an attacker between both ends can read and change everything.
      case unverified
      /// Not encrypted.
      case off
    }

    /// What is between the program and the server. Originates with OpenSwiftData.
    public enum Pooling: Hashable, Sendable {
      /// Nothing, or a pooler that keeps a session of the server for each connection.
      case direct
      /// A pooler that gives each transaction any session, such as PgBouncer with `pool_mode = transaction`.
      ///
      /// Settings are then sent with each transaction. Of a statement outside of one, the program itself keeps the time.
      case transaction
    }

    /// How contexts notice saves of other containers and programs. Originates with OpenSwiftData.
    ///
    /// Each save writes the keys of its changed rows into a table, where other containers read them. Writes of programs without the library
    /// are not noticed.
    public enum Propagation: Hashable, Sendable {
      /// A connection of its own listens, and live queries follow within a tenth of a second; where nothing can be listened to, behind a
      /// pooler of transactions, the table is looked at every second.
      case automatic
      /// The table is looked at from time to time, at most a hundred times a second.
      case polling(interval: Duration = .seconds(1))
      /// Neither: no news is sent, and contexts see saves of other processes when they fetch.
      case off
    }

    /// What fetches see on standbys. These get changes later than the server that writes. Originates with OpenSwiftData.
    public enum ReadConsistency: Hashable, Sendable {
      /// At least the saves of the container itself, and those of other processes that it has been told of.
      case ownWrites
      /// What a standby has, however old it is. A context may not find what it has just saved.
      case eventual
      /// Everything: the server that writes answers all fetches.
      case primary
    }

    /// What a save waits for, PostgreSQL's `synchronous_commit`. Originates with OpenSwiftData.
    public enum Durability: Hashable, Sendable {
      /// What the server, the database or the user is set to.
      case asServerSays
      /// Nothing. A failure of the server may lose the last saves, but never damages the store.
      case processCrash
      /// The disk of the server.
      case powerFailure
      /// The disks of the server and of its synchronous standbys, if it has any.
      case standbys
      /// The same, and that the synchronous standbys show the save.
      case visibleOnStandbys

      /// PostgreSQL's word; nil for its default.
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
    /// The parameters for libpq that the connection string may override.
    func defaults(besides connection: String) -> [(name: String, value: String)] {
      let environment = ProcessInfo.processInfo.environment
      var mode = demands.first { $0.name == "sslmode" }?.value
      if self == .automatic {
        mode = PostgresHosts.values(of: connection)["sslmode"] ?? environment["PGSSLMODE"] ?? "verify-full"
      }
      // With authorities libpq would check the certificate also where nothing is to be checked.
      guard let mode, mode.hasPrefix("verify") else { return [] }
      let isKnown = environment["PGSSLROOTCERT"] != nil
      return [("sslmode", mode)] + (isKnown ? [] : Self.authorities.map { [("sslrootcert", $0)] } ?? [])
    }

    /// The parameters for libpq that override the connection string.
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

    /// The file of the authorities that the system trusts, where the user has none for PostgreSQL.
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
