import ConformanceSupport
import SwiftData
import Testing

extension TestStore {
  static func studios(_ engine: Engine) throws -> TestStore { try TestStore(engine, Studios.models) }

  /// Creates a store with one artist.
  static func oneArtist(_ engine: Engine) throws -> TestStore {
    let store = try studios(engine)
    let context = store.context()
    context.insert(Artist("Ada"))
    try context.save()
    return store
  }

  /// Creates a store with one artist, and two contexts that have both fetched the artist.
  static func readTwice(_ engine: Engine) throws -> (TestStore, ModelContext, ModelContext, Artist, Artist) {
    let store = try oneArtist(engine)
    let (here, there) = (store.context(), store.context())
    return (store, here, there, try here.artist(), try there.artist())
  }

  /// Creates a store with one saved artist, and its context with an undo manager.
  static func undoable(_ engine: Engine) throws -> (TestStore, ModelContext, UndoManager, Artist) {
    let store = try studios(engine)
    let context = store.context()
    let artist = Artist("Ada")
    context.insert(artist)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    return (store, context, manager, artist)
  }
}

extension ModelContext {
  func artist(_ name: String = "Ada") throws -> Artist {
    try #require(try fetch(FetchDescriptor<Artist>(predicate: #Predicate { $0.name == name })).first)
  }

  func only<T: PersistentModel>(_ type: T.Type) throws -> T {
    let all = try fetch(FetchDescriptor<T>())
    try #require(all.count == 1)
    return try #require(all.first)
  }
}
