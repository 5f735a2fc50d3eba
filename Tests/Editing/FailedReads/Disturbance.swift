import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

@testable import SQLiteStore

extension TestStore {
  /// Renames a table, as another program could; in an engine with a single connection, through this connection.
  func hide(_ table: String) throws { try runAside("ALTER TABLE \"\(table)\" RENAME TO \"\(table)_away\"") }

  /// Restores the name of a table.
  func show(_ table: String) throws { try runAside("ALTER TABLE \"\(table)_away\" RENAME TO \"\(table)\"") }

  /// Runs statements that every engine's database accepts: names are in quotes, and values have the types of their
  /// columns.
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

  /// The files of external values.
  func externalFiles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: URL(filePath: configuration.url.path + "_external"), includingPropertiesForKeys: nil)
  }

  /// A store with an artist aged 41 who has a work, a tag, an address and a studio.
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

  /// A store whose table of artists is renamed, and a context that has registered the artist without reading its row.
  static func unreadable(_ engine: Engine) throws -> (TestStore, ModelContext, Artist) {
    let store = try disturbed(engine)
    let context = store.context()
    let artist = try context.unreadArtist()
    try store.hide("Artist")
    return (store, context, artist)
  }

  /// The artist, fetched in a new context.
  func storedArtist() throws -> (model: Artist, context: ModelContext) {
    let context = context()
    return (try context.artist(), context)
  }
}

extension Engine {
  /// A text that does not decode as a list. PostgreSQL accepts only valid JSON.
  var garbage: String { has(.sqlite) ? "garbage" : "\"garbage\"" }

  func bytes(_ hexadecimal: String) -> String {
    has(.sqlite) ? "x'\(hexadecimal)'" : "decode('\(hexadecimal)', 'hex')"
  }
}

extension ModelContext {
  /// An artist whose row has not been read. The context has read only the work that refers to the artist.
  func unreadArtist() throws -> Artist {
    try #require(try only(Work.self).artist)
  }
}
