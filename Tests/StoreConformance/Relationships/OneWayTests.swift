import SwiftData
import Testing

@Suite("One-way relationships", .serialized)
struct OneWayTests {
  private func scene(_ situation: Situation) throws -> Scene {
    let playlists = ["loud", "soft"].map { Playlist($0) }
    let songs = named("abcdef") { Song($0) }
    playlists[0].songs = Array(songs[0..<4])
    playlists[0].opener = songs[0]
    return try Scene(situation, playlists + songs)
  }

  private func songs(_ name: String, _ scene: Scene) throws -> [String] {
    try scene.find(name, Playlist.self).songs.names
  }

  @Test(
    "every change of a list in place is kept, in memory and in the store", arguments: Situation.all, ListEdit.allCases)
  func listEdits(_ situation: Situation, _ edit: ListEdit) throws {
    let scene = try scene(situation)
    let playlist: Playlist = try scene.find("loud")
    edit.apply(to: &playlist.songs, others: try scene.find(["e", "f"])) { $0.name > $1.name }
    let wanted = edit.result(letters("abcd"), others: ["e", "f"])
    try scene.nowAndLater { () throws in #expect(try songs("loud", scene) == wanted) }
  }

  @Test("an object may be in the lists of several owners", arguments: Situation.all)
  func shared(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("soft", Playlist.self).songs = try scene.find(letters("cbf"))
    try scene.find("soft", Playlist.self).opener = try scene.find("a")
    try scene.nowAndLater { () throws in
      #expect(try songs("loud", scene) == letters("abcd"))
      #expect(try songs("soft", scene) == letters("cbf"))
      for playlist in try scene.find(["loud", "soft"], Playlist.self) { #expect(playlist.opener?.name == "a") }
    }
  }

  @Test(
    "deleting an object removes it from all lists, and sets references to nil", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let playlist: Playlist = try scene.find("loud")
    scene.context.delete(try scene.find("a", Song.self))
    try scene.context.save()
    #expect(playlist.songs.names == letters("bcd"))
    #expect(playlist.opener == nil)
    let stored = try scene.store.context().one("loud", Playlist.self)
    #expect(stored.songs.names == letters("bcd"))
    #expect(stored.opener == nil)
  }

  @Test("deleting the owner keeps the members", arguments: Engine.allCases)
  func deleteOwner(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .fetched))
    scene.context.delete(try scene.find("loud", Playlist.self))
    try scene.context.save()
    #expect(try scene.store.context().names(of: Song.self) == letters("abcdef"))
  }

  @Test("a relationship declared with a nil inverse has none, although one could be inferred", arguments: Situation.all)
  func explicit(_ situation: Situation) throws {
    let film = Film("film")
    let review = Review("review")
    let scene = try Scene(situation, [film, review])
    try scene.find("film", Film.self).bestReview = try scene.find("review")
    try scene.nowAndLater { () throws in
      #expect(try scene.find("film", Film.self).bestReview?.name == "review")
      #expect(try scene.find("review", Review.self).film == nil)
    }
  }
}
