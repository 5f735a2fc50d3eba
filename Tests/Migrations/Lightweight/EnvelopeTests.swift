import ConformanceSupport
import SwiftData
import Testing

private enum Plain {
  @Model final class Photo {
    var name: String
    var data: Data?
    var secret: Int
    init(_ name: String, _ data: Data?, _ secret: Int) { (self.name, self.data, self.secret) = (name, data, secret) }
  }
}

private enum External {
  @Model final class Photo {
    var name: String
    @Attribute(.externalStorage) var data: Data?
    var secret: Int
    init(_ name: String, _ data: Data?, _ secret: Int) { (self.name, self.data, self.secret) = (name, data, secret) }
  }
  @Model final class Album {
    var title: String = ""
    @Attribute(.externalStorage) var cover: Data?
    init() {}
  }
}

private enum RenamedExternal {
  @Model final class Photo {
    var name: String
    @Attribute(.externalStorage, originalName: "data") var bytes: Data?
    var secret: Double
    init(_ name: String) { (self.name, secret) = (name, 0) }
  }
}

private enum WithoutData {
  @Model final class Photo {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Inherited {
  @Model class Base {
    @Attribute(.externalStorage) var data: Data?
    init() {}
  }
  @Model final class Left: Base {
    @Attribute(.externalStorage) var more: Data?
    override init() { super.init() }
  }
}

private func bytes(_ value: UInt8, count: Int = 200_000) -> Data { Data(repeating: value, count: count) }

@Suite("Migration of external values", .onSQLite)
struct ExternalMigrationTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([External.Photo.self, External.Album.self]) { context in
      for index in UInt8(0)..<3 { context.insert(External.Photo("\(index)", bytes(index), Int(index))) }
      context.insert(External.Photo("small", Data([7]), 3))
      let album = External.Album()
      context.insert(album)
      album.cover = bytes(9)
    }
    #expect(store.externalFiles.count == 4)
    return store
  }

  private func photos<T: PersistentModel>(_ context: ModelContext, _ name: KeyPath<T, String> & Sendable) throws -> [T]
  {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(name)]))
  }

  @Test("external files stay if a property is renamed or a table is rebuilt, and are deleted with their entity")
  func renamed() throws {
    let store = try store()
    try store.migrate(to: [RenamedExternal.Photo.self]) { context in
      let photos = try photos(context, \RenamedExternal.Photo.name)
      #expect(photos.map(\.bytes) == [bytes(0), bytes(1), bytes(2), Data([7])])
      #expect(photos.map(\.secret) == [0, 1, 2, 3])
      photos[0].bytes = nil
      try context.save()
      context.delete(photos[1])
    }
    try store.use([RenamedExternal.Photo.self]) { _ in }
    #expect(store.externalFiles.count == 1)
  }

  @Test("if a property loses the external storage option, its values move from files into rows")
  func inward() throws {
    let store = try store()
    try store.migrate(to: [Plain.Photo.self]) { context in
      let photos = try photos(context, \Plain.Photo.name)
      #expect(photos.map(\.data) == [bytes(0), bytes(1), bytes(2), Data([7])])
    }
    #expect(store.externalFiles == [])
    // The property gets the option again. New values are written to files, and existing values stay in their rows.
    try store.migrate(to: [External.Photo.self]) { context in
      let photos = try photos(context, \External.Photo.name)
      #expect(photos.map(\.data) == [bytes(0), bytes(1), bytes(2), Data([7])])
      photos[0].data = bytes(5)
    }
    #expect(store.externalFiles.count == 1)
  }

  @Test("an external file of an inherited property is deleted with its row")
  func inherited() throws {
    let store = try MigratedStore()
    try store.use([Inherited.Base.self, Inherited.Left.self]) { context in
      let left = Inherited.Left()
      context.insert(left)
      (left.data, left.more) = (bytes(1), bytes(2))
      try context.save()
      #expect(store.externalFiles.count == 2)
      context.delete(left)
    }
    #expect(store.externalFiles == [])
  }

  @Test("the migration deletes the external files of a removed property")
  func removed() throws {
    let store = try store()
    try store.migrate(to: [WithoutData.Photo.self]) { _ in }
    #expect(store.externalFiles == [])
  }
}

#if Encryption
  private enum Encrypted {
    @Model final class Photo {
      var name: String
      @Attribute(.externalStorage, .encrypt) var data: Data?
      @Attribute(.encrypt) var secret: Int
      init(_ name: String, _ data: Data?, _ secret: Int) { (self.name, self.data, self.secret) = (name, data, secret) }
    }
  }

  /// The version before `Encrypted`. A migration encrypts `secret`, and leaves `data` as it is.
  private enum Kept {
    @Model final class Photo {
      var name: String
      @Attribute(.externalStorage, .encrypt) var data: Data?
      var secret: Int
      init(_ name: String, _ data: Data?, _ secret: Int) { (self.name, self.data, self.secret) = (name, data, secret) }
    }
  }

  private enum RenamedEncrypted {
    @Model final class Photo {
      var name: String
      @Attribute(.encrypt, originalName: "data") var bytes: Data?
      @Attribute(.encrypt, originalName: "secret") var riddle: Int
      @Attribute(.encrypt) var added: String = "new"
      init(_ name: String) { (self.name, riddle) = (name, 0) }
    }
  }

  @Suite("Migration of encrypted values")
  struct EncryptedMigrationTests {
    private let key = ModelConfiguration.EncryptionKey()

    private func photos<T: PersistentModel>(
      _ context: ModelContext, _ name: KeyPath<T, String> & Sendable
    ) throws -> [T] {
      try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(name)]))
    }

    @Test("values are encrypted, encrypted again under another name, and decrypted by three migrations")
    func chain() throws {
      let store = try MigratedStore()
      let configure = { (configuration: inout ModelConfiguration) in configuration.encryptionKey = self.key }
      let values = [bytes(1), Data([2]), nil]
      try store.use([Plain.Photo.self]) { context in
        for (index, data) in values.enumerated() { context.insert(Plain.Photo("\(index)", data, index * 11)) }
      }
      try store.migrate(to: [Encrypted.Photo.self], configure) { context in
        let photos = try photos(context, \Encrypted.Photo.name)
        #expect(photos.map(\.data) == values && photos.map(\.secret) == [0, 11, 22])
      }
      if !MigratedStore.isOnServer { #expect(store.externalFiles.count == 1) }
      #expect(try store.classes(of: ["secret"], in: "Photo") == [["blob"]])
      try store.migrate(to: [RenamedEncrypted.Photo.self], configure) { context in
        let photos = try photos(context, \RenamedEncrypted.Photo.name)
        #expect(photos.map(\.bytes) == values && photos.map(\.riddle) == [0, 11, 22])
        #expect(photos.map(\.added) == ["new", "new", "new"])
      }
      #expect(store.externalFiles == [])
    }

    @Test("values that a migration encrypts use the current key; other values keep the former key, so both are needed")
    func keys() async throws {
      let store = try MigratedStore()
      let (old, new) = (ModelConfiguration.EncryptionKey(), ModelConfiguration.EncryptionKey())
      let configure = { (configuration: inout ModelConfiguration) in
        (configuration.encryptionKey, configuration.formerEncryptionKeys) = (new, [old])
      }
      let withOld = { (configuration: inout ModelConfiguration) in configuration.encryptionKey = old }
      let withNew = { (configuration: inout ModelConfiguration) in configuration.encryptionKey = new }
      try store.use([Kept.Photo.self], withOld) { context in
        context.insert(Kept.Photo("a", bytes(1), 5))
      }
      let wrong = try store.refusal(of: [Encrypted.Photo.self]) { $0.encryptionKey = new }
      #expect(wrong == .encryptionKeyWrong)
      try store.migrate(to: [Encrypted.Photo.self], configure) { context in
        let photo = try #require(try context.fetch(FetchDescriptor<Encrypted.Photo>()).first)
        #expect(photo.data == bytes(1) && photo.secret == 5)
      }
      for key in [old, new] {
        #expect(try store.refusal(of: [Encrypted.Photo.self]) { $0.encryptionKey = key } == .encryptionKeyWrong)
      }
      let container = try store.open([Encrypted.Photo.self], configure)
      #expect(try await container.reencrypt() == 1)
      try store.use([Encrypted.Photo.self], withNew) { context in
        let photo = try #require(try context.fetch(FetchDescriptor<Encrypted.Photo>()).first)
        #expect(photo.data == bytes(1) && photo.secret == 5)
      }
    }

    @Test("an encrypted store is not migrated if the key is missing or wrong")
    func wrongKey() throws {
      let store = try MigratedStore()
      let configure = { (configuration: inout ModelConfiguration) in configuration.encryptionKey = self.key }
      try store.use([Encrypted.Photo.self], configure) { context in
        context.insert(Encrypted.Photo("a", nil, 1))
      }
      #expect(try store.refusal(of: [Plain.Photo.self]) == .encryptionKeyMissing)
      let otherKey = ModelConfiguration.EncryptionKey()
      let other = try store.refusal(of: [RenamedEncrypted.Photo.self]) { $0.encryptionKey = otherKey }
      #expect(other == .encryptionKeyWrong)
      try store.use([Plain.Photo.self], configure) { context in
        let secrets = try context.fetch(FetchDescriptor<Plain.Photo>()).map(\.secret)
        #expect(secrets == [1])
      }
    }
  }
#endif
