#if PostgreSQL
  import Foundation

  /// Removes the passwords from a connection string, for messages.
  ///
  /// The string is parsed as libpq parses it. Foundation does not accept a URL with several hosts.
  enum ConnectionText {
    private static let secrets: Set<String> = ["password", "sslpassword"]

    /// Returns the string without its passwords. If it cannot be parsed, the result has only parts without a password.
    static func withoutPasswords(_ connection: String) -> String {
      if let scheme = ["postgresql://", "postgres://"].first(where: { connection.hasPrefix($0) }) {
        return scheme + parameters(ofURL: userAndPlace(connection.dropFirst(scheme.count)))
      }
      // A string without "=" is the name of a database.
      guard connection.contains("=") else { return connection }
      let values = PostgresHosts.values(of: connection).filter { !secrets.contains($0.key) }
      return values.isEmpty ? "PostgreSQL" : words(values)
    }

    /// Whether the string has, or may have, a password.
    static func mayHavePassword(_ connection: String) -> Bool {
      guard connection.contains("=") || connection.contains("://") else { return false }
      return connection.contains("password") || withoutPasswords(connection) != connection
    }

    /// Removes the password between the user and the host.
    private static func userAndPlace(_ text: Substring) -> Substring {
      let head = text.prefix { $0 != "/" }
      // If a password contains an unencoded slash, libpq parses that slash as the end of the host.
      let searched = head.contains("@") ? head : text.prefix { $0 != "?" }
      guard let end = searched.lastIndex(of: "@"), let start = searched.firstIndex(of: ":"), start < end else {
        return text
      }
      return text[..<start] + text[end...]
    }

    /// Removes the passwords from the parameters, which follow the question mark of a URL.
    private static func parameters(ofURL text: Substring) -> String {
      guard let mark = text.firstIndex(of: "?") else { return String(text) }
      let parameters = text[mark...].dropFirst().split(separator: "&").filter { parameter in
        let name = String(parameter.prefix { $0 != "=" })
        return !secrets.contains(name.removingPercentEncoding ?? name)
      }
      let place = String(text[..<mark])
      return parameters.isEmpty ? place : place + "?" + parameters.joined(separator: "&")
    }

    private static let order = ["host", "hostaddr", "port", "dbname", "user"]

    private static func words(_ values: [String: String]) -> String {
      let others = values.keys.filter { !order.contains($0) }.sorted()
      return (order + others).compactMap { name in values[name].map { "\(name)=\(quoted($0))" } }.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
      guard value.isEmpty || value.contains(where: { " '\\".contains($0) }) else { return value }
      return "'\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
  }
#endif
