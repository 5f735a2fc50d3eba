import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

@testable import SQLiteStore

extension TestStore {
  /// Renames a table, so that statements that use it fail. An engine with a single connection renames it through this
  /// connection; otherwise another connection does it, as another program could.
  func hide(_ table: String) throws { try runAside("ALTER TABLE \"\(table)\" RENAME TO \"\(table)_away\"") }

  /// Gives a table that ``hide(_:)`` has renamed its original name.
  func show(_ table: String) throws { try runAside("ALTER TABLE \"\(table)_away\" RENAME TO \"\(table)\"") }

  /// Executes SQL statements of which the library is not informed. They must be valid in every engine: they quote all
  /// names, and their values have the types of the columns.
  func runAside(_ sql: String) throws {
    if engine == .postgres { return try runOnServer(sql) }
    guard engine != .file else { return try RawDatabase(configuration.url.path).run(sql) }
    let opened = try #require(context().stores.stores.first?.engine)
    let base = (opened as? RemoteEngine)?.base ?? opened
    let store = try #require(base as? SQLiteStoreEngine)
    let transaction = try store.begin()
    try transaction.usable().handle.execute(sql)
    try transaction.commit()
  }

  /// The external files, which contain values of properties with external storage.
  func externalFiles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: URL(filePath: configuration.url.path + "_external"), includingPropertiesForKeys: nil)
  }

  /// Creates a store with an artist of age 41, who has one work, one tag, an address and a studio.
  static func disturbed(_ engine: Engine) throws -> TestStore {
    let store = try studios(engine)
    let context = store.context()
    let artist = Artist("Ada", age: 41, studio: Studio("North"))
    artist.tags = ["a"]
    artist.address = Address(city: "Oslo", zip: 1)
    context.insert(artist)
    context.insert(Work("First", artist: artist))
    context.insert(Studio("South"))
    try context.save()
    return store
  }

  /// Renames the table of artists, and returns a context with the artist's object, whose row has not been read.
  static func unreadable(_ engine: Engine) throws -> (TestStore, ModelContext, Artist) {
    let store = try disturbed(engine)
    let context = store.context()
    let artist = try context.unreadArtist()
    try store.hide("Artist")
    return (store, context, artist)
  }

  /// Fetches the artist in a new context.
  func storedArtist() throws -> (model: Artist, context: ModelContext) {
    let context = context()
    return (try context.artist(), context)
  }
}

extension Engine {
  /// A text that cannot be decoded as an array. For PostgreSQL it is a JSON string, because PostgreSQL rejects invalid
  /// JSON.
  var garbage: String { has(.sqlite) ? "garbage" : "\"garbage\"" }

  func bytes(_ hexadecimal: String) -> String {
    has(.sqlite) ? "x'\(hexadecimal)'" : "decode('\(hexadecimal)', 'hex')"
  }
}

extension ModelContext {
  /// Returns the artist's object without reading its row. The context reads only the work, which refers to the artist.
  func unreadArtist() throws -> Artist {
    try #require(try only(Work.self).artist)
  }
}
