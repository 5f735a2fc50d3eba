import ConformanceSupport
import OpenSwiftData
import Testing

private enum Kept: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Letter.self] }
  @Model final class Letter {
    @Attribute(.preserveValueOnDeletion) var text: String
    init(_ text: String) { self.text = text }
  }
}

private enum Counted: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Letter.self] }
  @Model final class Letter {
    @Attribute(.preserveValueOnDeletion) var text: String
    var pages: Int = 1
    init(_ text: String) { self.text = text }
  }
}

private enum Deleting: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Kept.self, Counted.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Kept.self, toVersion: Counted.self,
        willMigrate: { context in
          for letter in try context.fetch(FetchDescriptor<Kept.Letter>()) where letter.text == "b" {
            context.delete(letter)
          }
        }, didMigrate: nil)
    ]
  }
}

@Suite("The deletion of models in a stage", .onSQLite)
struct StageTombstoneTests {
  private func keepsHistory(_ configuration: inout ModelConfiguration) { configuration.history = .standard }

  @Test("leaves no tombstones in the history record of the next save")
  func deletions() throws {
    let store = try MigratedStore()
    try store.use(Kept.models, keepsHistory) { context in
      let letters = ["a", "b", "c"].map { Kept.Letter($0) }
      letters.forEach(context.insert)
      try context.save()
      context.delete(letters[0])
      try context.save()
    }
    try store.use(Counted.models, plan: Deleting.self, keepsHistory) { context in
      let found = try context.fetch(FetchDescriptor<Counted.Letter>()).map(\.text)
      #expect(found == ["c"])
    }
    let numbers = try RawDatabase(store.url.path).column("SELECT number FROM _osd_tombstones")
    #expect(numbers == ["2"])
  }
}

#if Encryption
  private enum Plain {
    @Model final class Card {
      @Attribute(.preserveValueOnDeletion) var text: String
      @Attribute(.preserveValueOnDeletion) var number: Int = 1
      init(_ text: String) { self.text = text }
    }
  }

  private enum Sealed {
    @Model final class Card {
      @Attribute(.encrypt, .preserveValueOnDeletion) var text: String
      @Attribute(.preserveValueOnDeletion) var number: Int = 1
      init(_ text: String) { self.text = text }
    }
  }

  private enum Renamed {
    @Model final class Card {
      @Attribute(.encrypt, .preserveValueOnDeletion, originalName: "text") var words: String
      @Attribute(.preserveValueOnDeletion) var number: Int = 1
      init(_ words: String) { self.words = words }
    }
  }

  @Suite("A tombstone of a model with encrypted attributes")
  struct SealedTombstoneTests {
    private let key = ModelConfiguration.EncryptionKey()

    private func configure(
      with key: ModelConfiguration.EncryptionKey, _ former: [ModelConfiguration.EncryptionKey] = []
    ) -> (inout ModelConfiguration) -> Void {
      return { configuration in
        configuration.history = .standard
        configuration.encryptionKey = key
        configuration.formerEncryptionKeys = former
      }
    }

    private func columns(_ store: MigratedStore) throws -> [String] {
      try store.contents().column("SELECT \"column\" FROM _osd_tombstones ORDER BY 1")
    }

    private func delete<T: PersistentModel>(_ model: T, _ context: ModelContext) throws {
      context.insert(model)
      try context.save()
      context.delete(model)
      try context.save()
    }

    @Test("is deleted if one of the attributes becomes encrypted or is renamed")
    func migrations() throws {
      let store = try MigratedStore()
      let keyed = configure(with: key)
      try store.use([Plain.Card.self], keyed) { try delete(Plain.Card("secret"), $0) }
      #expect(try columns(store) == ["number", "text"])
      try store.use([Sealed.Card.self], keyed) { context in
        #expect(try columns(store) == ["number"])
        try delete(Sealed.Card("secret"), context)
      }
      #expect(try columns(store) == ["number", "number", "text"])
      try store.use([Renamed.Card.self], keyed) { context in
        #expect(try columns(store) == ["number", "number"])
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(all.count == 4)
      }
    }

    @Test("is encrypted again with the other values, or deleted if no key can decrypt it")
    func reencryption() async throws {
      let store = try MigratedStore()
      let other = ModelConfiguration.EncryptionKey()
      try store.use([Sealed.Card.self], configure(with: key)) { context in
        for text in ["secret", "lost"] { try delete(Sealed.Card(text), context) }
      }
      _ = try store.contents().column(
        "UPDATE _osd_tombstones SET value = 'lost' WHERE \"column\" = 'text' AND number = 4")
      do {
        let container = try store.open([Sealed.Card.self], configure(with: other, [key]))
        try await container.reencrypt()
        try await container.close()
      }
      #expect(try columns(store) == ["number", "number", "text"])
      try store.use([Sealed.Card.self], configure(with: other)) { context in
        let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        let texts = changes.compactMap { change -> String? in
          guard case .delete(let some) = change, let deletion = some as? any HistoryDelete<Sealed.Card> else {
            return nil
          }
          return deletion.tombstone[\.text] as? String
        }
        #expect(texts == ["secret"])
      }
    }
  }
#endif
