#if Encryption
  import SwiftData
  import Testing

  @Suite("Backups of encrypted values")
  struct SealedBackupTests {
    private func saved() throws -> (SealedStore, ModelContainer) {
      let store = try SealedStore()
      let container = try store.container(store.key)
      let context = ModelContext(container)
      let diary = Diary("a", body: "PLAINTEXT of the body")
      diary.picture = Data(String(repeating: "PLAINTEXT in a file", count: 20_000).utf8)
      context.insert(diary)
      try context.save()
      return (store, container)
    }

    private func open(
      _ store: SealedStore, _ url: URL, _ key: ModelConfiguration.EncryptionKey?
    ) throws -> ModelContainer {
      var configuration = ModelConfiguration(schema: store.schema, url: url)
      configuration.encryptionKey = key
      return try ModelContainer(for: store.schema, configurations: configuration)
    }

    @Test("a backup and a store restored from it are encrypted with the same key")
    func key() async throws {
      let (store, container) = try saved()
      let folder = try BackupTests.Folder()
      let (copy, restored) = (folder.file("copy.store"), folder.file("restored.store"))
      try await container.backup(to: copy)
      try await ModelContainer.restore(from: copy, to: restored)
      for url in [copy, restored] {
        #expect(throws: SwiftDataError.self) { try open(store, url, ModelConfiguration.EncryptionKey()) }
        let opened = try open(store, url, store.key)
        let diary = try #require(try ModelContext(opened).fetch(FetchDescriptor<Diary>()).first)
        #expect(diary.body == "PLAINTEXT of the body" && diary.picture?.count == 380_000)
        #expect(try await opened.check() == [])
        try await opened.close()
      }
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
        let bytes = (try? Data(contentsOf: folder.file(name))) ?? Data()
        #expect(!bytes.contains("PLAINTEXT".utf8), "\(name)")
      }
    }

    @Test("a check reports changed encrypted values without any plain value")
    func changed() async throws {
      let (store, container) = try saved()
      try store.run("UPDATE Diary SET note = x'00112233', body = x'01'")
      let problems = try await container.check(repairing: true)
      #expect(problems.map(\.kind) == [.unreadableCiphertext, .unreadableCiphertext], "\(problems)")
      #expect(problems.allSatisfy { $0.repair == .impossible && !"\($0)".contains("PLAINTEXT") })
    }
  }
#endif
