#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A connection string, and the text that error messages show for it.
  struct ShownText: Sendable, CustomTestStringConvertible {
    let connection: String
    let shown: String

    init(_ connection: String, _ shown: String) {
      self.connection = connection
      self.shown = shown
    }

    var testDescription: String { shown }
  }

  @Suite("The location of a PostgreSQL store in error messages")
  struct ConnectionTextTests {
    static let texts: [ShownText] = [
      ShownText("postgresql://osd:hush@db.example.org:5432/trips", "postgresql://osd@db.example.org:5432/trips"),
      ShownText("postgres://osd:hush@one:5432,two:5433/trips", "postgres://osd@one:5432,two:5433/trips"),
      ShownText("postgresql://osd:hu@sh@one/trips", "postgresql://osd@one/trips"),
      ShownText("postgresql://osd:hu?sh@one/trips", "postgresql://osd@one/trips"),
      ShownText("postgresql://osd:hu/sh@one/trips", "postgresql://osd@one/trips"),
      ShownText("postgresql://osd:hush@/trips?host=/run", "postgresql://osd@/trips?host=/run"),
      ShownText("postgresql://one/trips?user=osd&password=hush", "postgresql://one/trips?user=osd"),
      ShownText("postgresql://one/trips?pass%77ord=hush&sslpassword=hush", "postgresql://one/trips"),
      ShownText("postgresql://osd@one:5432/trips?options=a@b", "postgresql://osd@one:5432/trips?options=a@b"),
      ShownText("host=one dbname=trips password=hush user=osd", "host=one dbname=trips user=osd"),
      ShownText(#"dbname='my trips' password = 'hu\'sh hush' sslpassword=hush"#, "dbname='my trips'"),
      ShownText("host=one password='hush", "PostgreSQL"),
      ShownText("trips", "trips"),
    ]

    @Test("the location never contains the password of the connection string, in any syntax", arguments: texts)
    func place(_ text: ShownText) {
      var configuration = PostgresConfiguration(text.connection)
      configuration.namespace = "n"
      #expect(configuration.storeLocation == "\(text.shown), schema \"n\"")
    }

    @Test(
      "the location contains no password if the connection string cannot be parsed",
      arguments: ["postgresql://osd:hu%sh@localhost/trips", "host=localhost password=my hush", "password='hush"])
    func unreadable(_ connection: String) {
      let error = #expect(throws: SwiftDataError.self) { try PostgresConnection(PostgresSettings(connection)) }
      #expect(error == .storeUnreachable)
      #expect(error?.explanation?.contains("connection string") == true)
      for part in ["hush", "hu%sh", "%sh"] { #expect(error.map { "\($0)" }?.contains(part) == false) }
    }
  }
#endif
