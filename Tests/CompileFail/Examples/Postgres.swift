// Compiles the examples of two kinds of documentation comments: about stores in PostgreSQL, and about copying a store.
import OpenSwiftData
import PostgresStore

@Model final class Trip {
  var name: String
  init(name: String) { self.name = name }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
}

func open() throws {
  let configuration = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  let container = try ModelContainer(for: Trip.self, configurations: configuration)
  print(container)
}

func rotate(secret: String) throws {
  var configuration = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  configuration.password = PostgresConfiguration.PasswordSource { try String(contentsOfFile: secret, encoding: .utf8) }
  print(try ModelContainer.migrationPlan(from: configuration, to: Schema(versionedSchema: TripsV2.self)))
}

func move() async throws {
  let container = try ModelContainer(for: Trip.self)
  let database = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  try await container.copy(to: database)
  try await container.close()
  let moved = try ModelContainer(for: Trip.self, configurations: database)
  print(moved)
}

func move(_ container: ModelContainer, to newURL: URL) async throws {
  let copy = try await container.copy(to: ModelConfiguration(url: newURL))
  print(copy.models.map { "\($0.name): \($0.count)" })
  try await container.close()
  let moved = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: newURL))
  print(moved)
}
