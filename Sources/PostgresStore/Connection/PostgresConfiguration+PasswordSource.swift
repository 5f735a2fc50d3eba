#if PostgreSQL
  import PersistenceSupport

  extension PostgresConfiguration {
    /// Provides the password of each new connection, for passwords that change. Originates with OpenSwiftData.
    ///
    /// ```swift
    /// configuration.password = PostgresConfiguration.PasswordSource { try String(contentsOfFile: secret, encoding: .utf8) }
    /// ```
    public struct PasswordSource: Hashable, Sendable {
      private final class Closure: Sendable {
        let body: @Sendable () throws -> String

        init(_ body: @escaping @Sendable () throws -> String) {
          self.body = body
        }
      }

      private let closure: Closure

      /// Creates a source.
      ///
      /// - Parameter body: Returns the password. It is called on any thread, for each new connection, and once more if
      ///   the server rejects the password. The connection waits for it.
      public init(_ body: @escaping @Sendable () throws -> String) {
        closure = Closure(body)
      }

      /// The current password.
      func password() throws -> String {
        do {
          return try closure.body()
        } catch {
          throw SwiftDataError(
            .storeUnreachable,
            "The source of the password of the store has failed: \(error). Nothing was tried without it.",
            underlying: error)
        }
      }

      /// Whether two values are the same source.
      ///
      /// - Parameters:
      ///   - lhs: A source.
      ///   - rhs: Another source.
      public static func == (lhs: PasswordSource, rhs: PasswordSource) -> Bool { lhs.closure === rhs.closure }

      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(closure)) }
    }
  }
#endif
