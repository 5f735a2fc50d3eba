#if PostgreSQL && Encryption
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  @Suite("Moving encrypted values to PostgreSQL, and back")
  struct SealedMoveTests {
    private let stores: MovedStores
    private let schema = Schema([Dossier.self])

    init() throws { stores = try MovedStores() }

    private func contents(_ container: ModelContainer) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Dossier>(sortBy: [SortDescriptor(\.title)])).map { dossier in
        "\(dossier.persistentModelID.row?.key ?? 0) \(dossier.text) \(dossier.note ?? "-") \(dossier.count) "
          + "\(dossier.scan?.count ?? -1) \(dossier.scan?.first ?? 0)"
      }
    }

    @Test("all stores have the same values, and each store encrypts them with its own key")
    func bothWays() async throws {
      var first = stores.file()
      first.encryptionKey = ModelConfiguration.EncryptionKey()
      let source = try ModelContainer(for: schema, configurations: first)
      let context = ModelContext(source)
      for number in 0..<5 {
        let dossier = Dossier("\(number)", text: "text e\u{301} \0 \(number)")
        context.insert(dossier)
        (dossier.note, dossier.count) = ([nil, "note"][number % 2], -number)
        dossier.scan = [nil, Data(), Data(repeating: 7, count: 300_000)][number % 3]
      }
      try context.save()
      let known = try contents(source)
      var database = try stores.database()
      database.encryptionKey = ModelConfiguration.EncryptionKey()
      let there = try await source.copy(to: database)
      let moved = try ModelContainer(for: schema, configurations: [database])
      #expect(try contents(moved) == known)
      var last = stores.file("b.store")
      last.encryptionKey = ModelConfiguration.EncryptionKey()
      let back = try await moved.copy(to: last)
      #expect(there.models == back.models && there.storeIdentifier == back.storeIdentifier)
      let returned = try ModelContainer(for: schema, configurations: last)
      #expect(try contents(returned) == known)
      // The key of one store does not open another store.
      database.encryptionKey = first.encryptionKey
      #expect(throws: SwiftDataError.encryptionKeyWrong) {
        try ModelContainer(for: schema, configurations: [database])
      }
    }
  }
#endif
