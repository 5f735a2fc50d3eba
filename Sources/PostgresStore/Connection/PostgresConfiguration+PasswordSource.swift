#if PostgreSQL
  import PersistenceSupport

  extension PostgresConfiguration {
    /// A source of passwords that change: a closure that returns the password for each new connection. Originates with
    /// OpenSwiftData.
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
      ///   the server rejects the password. Connecting waits until it returns.
      public init(_ body: @escaping @Sendable () throws -> String) {
        closure = Closure(body)
      }

      /// The password that the closure returns now.
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

      /// Returns true if both sources are copies of one source, which one call of the initialiser created.
      ///
      /// - Parameters:
      ///   - lhs: A source.
      ///   - rhs: Another source.
      public static func == (lhs: PasswordSource, rhs: PasswordSource) -> Bool { lhs.closure === rhs.closure }

      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(closure)) }
    }
  }
#endif
