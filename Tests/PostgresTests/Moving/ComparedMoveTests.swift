#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Comparison of a moved store with its source")
  struct ComparedMoveTests {
    /// A trigger that changes or drops rows while they are copied, and the entity to whose table it belongs.
    struct Meddling: Sendable, CustomTestStringConvertible {
      let entity: String
      let body: String
      var testDescription: String { entity }
    }

    static let meddlings: [Meddling] = [
      Meddling(entity: "Depot", body: "NEW.name := upper(NEW.name); RETURN NEW;"),
      Meddling(entity: "Seal", body: "IF NEW._osd_key = 1 THEN RETURN NULL; END IF; RETURN NEW;"),
    ]

    @Test(
      "a move throws and copies nothing if a trigger in the database changes or drops rows",
      arguments: meddlings)
    func meddled(_ meddling: Meddling) async throws {
      let stores = try MovedStores()
      let source = try stores.open(stores.file())
      try MovedContents.fill(source)
      let database = try stores.database()
      try await stores.open(database).close()
      let connection = try TestCluster.shared.get().connect()
      let space = "\"\(database.namespace)\""
      try connection.execute(
        "CREATE FUNCTION \(space).meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(meddling.body) END $$; "
          + "CREATE TRIGGER meddle BEFORE INSERT ON \(space).\"\(meddling.entity)\" FOR EACH ROW "
          + "EXECUTE FUNCTION \(space).meddle()")
      let error = await #expect(throws: SwiftDataError.self) { try await source.copy(to: database) }
      #expect(error?.explanation?.contains("Nothing was copied") == true, "\(error.map { "\($0)" } ?? "")")
      let context = ModelContext(try stores.open(database))
      #expect(try context.fetchCount(FetchDescriptor<Depot>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 0)
      try connection.execute("DROP TRIGGER meddle ON \(space).\"\(meddling.entity)\"")
      try await source.copy(to: database)
      #expect(try MovedContents.of(stores.open(database)) == MovedContents.of(source))
    }
  }
#endif
