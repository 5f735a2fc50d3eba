#if Encryption
  import SwiftData
  import Testing

  /// An encrypted store in a folder of its own.
  private final class SecretStore {
    private let folder: URL
    private let engine: Engine
    private let key = ModelConfiguration.EncryptionKey()
    private var open: [PostOffice] = []

    init(_ engine: Engine) throws {
      self.engine = engine
      folder = try TestStore.makeFolder()
      open = [try office(key)]
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func office(_ key: ModelConfiguration.EncryptionKey?) throws -> PostOffice {
      let schema = Schema([Secret.self, Confidence.self])
      var configuration =
        engine == .file
        ? ModelConfiguration(schema: schema, url: folder.appending(path: "secrets.store"))
        : ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      configuration.encryptionKey = key
      let container = try engine.container(for: schema, configuration)
      return try office(of: container)
    }

    private func office(of container: ModelContainer) throws -> PostOffice {
      let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
      Desk.use(executor)
      return PostOffice(executor)
    }

    /// Opens another context on the store, and returns the actor that owns it.
    func office() throws -> PostOffice {
      let office = try office(of: open[0].modelContainer)
      open.append(office)
      return office
    }

    /// The bytes of all files of the store.
    func bytes() throws -> Data {
      let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      return files.compactMap { $0 as? URL }.reduce(into: Data()) { $0 += (try? Data(contentsOf: $1)) ?? Data() }
    }

    func externalFiles() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "secrets.store_external").path)
    }
  }

  extension HandWrittenActorTests {
    @Test(
      "an actor with hand-written conformance reads encrypted values as they were saved, in rows and in files",
      arguments: Engine.allCases)
    func encrypted(_ engine: Engine) async throws {
      let store = try SecretStore(engine)
      let office = try store.office()
      let picture = Data(String(repeating: "PLAINTEXT of the picture ", count: 20_000).utf8)
      let secret = Secret(
        number: 1, body: "PLAINTEXT of the body", note: "PLAINTEXT of the note", tags: ["PLAINTEXT", "b"],
        picture: picture)
      try await office.insert(secret)
      try await office.insert(Secret(number: 2, body: "", note: nil, tags: [], picture: nil))
      if engine == .file {
        #expect(try !store.bytes().isEmpty && store.bytes().range(of: Data("PLAINTEXT".utf8)) == nil)
        #expect(try store.externalFiles().count == 1)
      }
      let other = try store.office()
      let found = try await other.fetch(FetchDescriptor<Secret>())
      #expect(await found.first?.texts() == ["PLAINTEXT of the body", "PLAINTEXT of the note", "PLAINTEXT", "b"])
      #expect(await found.first?.picture() == picture)
      #expect(await found.last?.texts() == ["", nil])
      #expect(await found.last?.picture() == nil)
      await found.first?.rewrite("PLAINTEXT of another body", note: nil)
      try await other.save()
      let again = try await store.office().fetch(FetchDescriptor<Secret>())
      #expect(await again.first?.texts() == ["PLAINTEXT of another body", nil, "PLAINTEXT", "b"])
      #expect(await again.first?.picture() == picture)
      if engine == .file { #expect(try store.bytes().range(of: Data("PLAINTEXT".utf8)) == nil) }
    }

    @Test("an actor with @Model reads encrypted values as they were saved", arguments: Engine.allCases)
    func encryptedByMacro(_ engine: Engine) async throws {
      let store = try SecretStore(engine)
      let picture = Data(String(repeating: "PLAINTEXT of the picture ", count: 20_000).utf8)
      try await store.office().insert(Confidence(1, "PLAINTEXT of the body", picture: picture))
      let office = try store.office()
      let found = try await office.fetch(FetchDescriptor<Confidence>(predicate: #Predicate { $0._number == 1 }))
      #expect(await found.first?.body == "PLAINTEXT of the body")
      #expect(await found.first?.picture == picture)
      await found.first?.rewrite("PLAINTEXT of another body", note: "PLAINTEXT of a note")
      try await office.save()
      let again = try await store.office().fetch(FetchDescriptor<Confidence>())
      #expect(await again.first?.body == "PLAINTEXT of another body")
      #expect(await again.first?.note == "PLAINTEXT of a note")
      if engine == .file {
        #expect(try store.externalFiles().count == 1)
        #expect(try store.bytes().range(of: Data("PLAINTEXT".utf8)) == nil)
      }
    }
  }
#endif
