import ConformanceSupport
import SwiftData
import Testing

/// The ways in which a playlist comes to refer to songs, after some songs were deleted and before others are.
enum OneWayArrival: CaseIterable {
  case assignment, list, insertion, fetch, reading, deletionTakenBack, undoneTransaction, rollback

  /// The songs of the playlist after all deletions of the test.
  var left: [String] {
    switch self {
    case .assignment, .fetch, .reading, .deletionTakenBack, .undoneTransaction: letters("ij")
    case .list, .insertion: []
    case .rollback: letters("abcdefghij")
    }
  }
}

@Suite("Successive deletions of objects to which relationships without an inverse refer")
struct OneWayDeletionTests {
  private let alphabet = letters("abcdefghijkl")

  /// Saves a playlist of 12 songs, and sets the song named `opener` as its opener.
  private func store(_ engine: Engine, opener: String) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let playlist = Playlist("loud")
    context.insert(playlist)
    playlist.songs = alphabet.map { Song($0) }
    playlist.opener = playlist.songs.first { $0.name == opener }
    try context.save()
    return store
  }

  private func songs(_ context: ModelContext) throws -> [Song] {
    try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test(
    "each deleted object is immediately removed from lists and references", arguments: Engine.allCases, [false, true])
  func inARow(_ engine: Engine, _ isSaved: Bool) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let playlists = alphabet.map { Playlist($0) }
    let songs = alphabet.map { Song($0) }
    songs.forEach(context.insert)
    try context.save()
    playlists.forEach(context.insert)
    for (playlist, song) in zip(playlists, songs) {
      playlist.songs = songs
      playlist.opener = song
    }
    if isSaved { try context.save() }
    for (index, song) in songs.enumerated() {
      context.delete(song)
      #expect(playlists[index].opener == nil)
      #expect(playlists[0].songs.names == Array(alphabet[(index + 1)...]))
    }
    try context.save()
    let stored = try store.context().fetch(FetchDescriptor<Playlist>())
    #expect(stored.count == 12)
    #expect(stored.allSatisfy { $0.opener == nil && $0.songs.isEmpty })
  }

  @Test(
    "references that are set between deletions are cleared by the next deletion", arguments: Engine.allCases,
    OneWayArrival.allCases)
  func between(_ engine: Engine, _ arrival: OneWayArrival) throws {
    let store = try store(engine, opener: "l")
    let context = store.context()
    let songs = try songs(context)
    // The playlist is fetched before the deletions, except in the case that fetches it between deletions.
    let known = arrival == .fetch ? nil : try context.fetch(FetchDescriptor<Playlist>()).first
    if let known {
      #expect(known.opener === songs[11])
      if arrival != .reading { #expect(known.songs.count == 12) }
    }
    if arrival == .deletionTakenBack { known.map(context.delete) }
    for song in songs[..<8] { context.delete(song) }
    let playlist = try refer(to: songs[11], songs[10], by: arrival, known, in: context)
    for song in songs[10...] { context.delete(song) }
    #expect(playlist.opener == nil)
    #expect(playlist.songs.names == arrival.left)
    try context.save()
    let stored = try #require(try store.context().fetch(FetchDescriptor<Playlist>()).first { $0.name == playlist.name })
    #expect(stored.opener == nil)
    #expect(stored.songs.names == playlist.songs.names)
  }

  @Test(
    "objects that are read between deletions lose references to objects that are deleted afterwards",
    arguments: Engine.allCases,
    [false, true])
  func readsBetween(_ engine: Engine, _ areFetched: Bool) throws {
    let store = try TestStore(engine, graphModels)
    let first = store.context()
    for name in alphabet {
      let (playlist, song) = (Playlist(name), Song(name))
      first.insert(playlist)
      playlist.opener = song
      playlist.songs = [song]
    }
    try first.save()
    let context = store.context()
    let songs = try songs(context)
    var playlists: [Playlist] = []
    if !areFetched { playlists = try context.fetch(FetchDescriptor<Playlist>(sortBy: [SortDescriptor(\.name)])) }
    for (index, name) in alphabet.enumerated() {
      if areFetched {
        let own = #Predicate<Playlist> { $0.name == name }
        playlists += try context.fetch(FetchDescriptor<Playlist>(predicate: own))
      }
      let playlist = try #require(playlists.dropFirst(index).first)
      #expect(playlist.opener === songs[index] && playlist.songs.names == [name])
      context.delete(songs[index])
      #expect(playlist.opener == nil && playlist.songs.isEmpty)
    }
    try context.save()
    let stored = try store.context().fetch(FetchDescriptor<Playlist>())
    #expect(stored.count == 12)
    #expect(stored.allSatisfy { $0.opener == nil && $0.songs.isEmpty })
  }

  @Test(
    "objects of subclasses that are read between deletions lose references to objects that are deleted afterwards",
    arguments: Engine.allCases)
  func hierarchyBetween(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let first = store.context()
    for (index, name) in alphabet.enumerated() {
      let car = index % 2 == 0 ? Motorcar(name, doors: 3) : SportsCar(name, topSpeed: 200)
      first.insert(car)
      let part = Part(name)
      car.spare = part
      car.parts = [part]
    }
    try first.save()
    let context = store.context()
    let parts = try context.fetch(FetchDescriptor<Part>(sortBy: [SortDescriptor(\.name)]))
    for (part, name) in zip(parts, alphabet) {
      let own = #Predicate<Vehicle> { $0.name == name }
      let car = try #require(try context.fetch(FetchDescriptor<Vehicle>(predicate: own)).first as? Motorcar)
      #expect(car.spare === part && car.parts.count == 1)
      context.delete(part)
      #expect(car.spare == nil && car.parts.isEmpty)
    }
    try context.save()
    let stored = try store.context().fetch(FetchDescriptor<Motorcar>())
    #expect(stored.count == 12)
    #expect(stored.allSatisfy { $0.spare == nil && $0.parts.isEmpty })
  }

  /// Makes a playlist refer to `song` as its opener and to `other` as a member in the given way, and returns the
  /// playlist.
  private func refer(
    to song: Song, _ other: Song, by arrival: OneWayArrival, _ known: Playlist?, in context: ModelContext
  ) throws -> Playlist {
    switch arrival {
    case .assignment:
      known?.opener = nil
      known?.opener = song
    case .list:
      known?.songs = []
      known?.songs.append(other)
      known?.songs.append(song)
    case .insertion:
      let made = Playlist("new")
      made.opener = song
      made.songs = [other, song]
      context.insert(made)
      return made
    case .fetch:
      let fetched = try #require(try context.fetch(FetchDescriptor<Playlist>()).first)
      #expect(fetched.opener === song)
      #expect(fetched.songs.contains { $0 === other })
      return fetched
    case .reading: #expect(known?.songs.contains(where: { $0 === other }) == true)
    case .deletionTakenBack: known.map(context.insert)
    case .undoneTransaction:
      try? context.transaction {
        known?.opener = nil
        known?.songs = []
        throw Failure()
      }
    case .rollback:
      context.rollback()
      #expect(known?.songs.count == 12)
    }
    return try #require(known)
  }
}
