import ConformanceSupport
import Dispatch
import Foundation
import SwiftData
import Testing

@Suite("Equal identifiers have equal hashes")
struct IdentifierHashTests {
  /// Returns true if all identifiers that are equal have equal hashes.
  private func haveEqualHashes(_ identifiers: [PersistentIdentifier]) -> Bool {
    identifiers.allSatisfy { first in
      identifiers.allSatisfy { first != $0 || first.hashValue == $0.hashValue }
    }
  }

  @Test(
    "an identifier encoded before its row was rolled back differs from the identifier of a later row",
    arguments: Engine.allCases)
  func encodedBeforeUndone(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let context = store.context()
    var encoded = Data()
    #expect(throws: Failure.self) {
      try context.transaction {
        let artist = Artist("Ada")
        context.insert(artist)
        let early = artist.persistentModelID
        try context.save()
        encoded = try JSONEncoder().encode(early)
        throw Failure()
      }
    }
    let later = Artist("Eve")
    context.insert(later)
    try context.save()
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: encoded)
    #expect(decoded != later.persistentModelID)
    #expect(decoded.id != later.persistentModelID.id)
  }

  @Test("hashes are equal if another thread fetches the rows right after the commit", arguments: Engine.allCases)
  func concurrent(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let container = store.container
    let (found, isOver, hasEnded) = (Log<Set<PersistentIdentifier>>(), Flag(), DispatchSemaphore(value: 0))
    let reader = Thread {
      let context = ModelContext(container)
      var all: Set<PersistentIdentifier> = []
      var isLast = false
      repeat {
        isLast = isOver.isRaised
        if let known = try? context.fetchIdentifiers(FetchDescriptor<Studio>()) { all.formUnion(known) }
      } while !isLast
      found.add(all)
      hasEnded.signal()
    }
    reader.start()
    let context = store.context()
    var early: Set<PersistentIdentifier> = []
    for round in 0..<100 {
      let studios = (0..<25).map { Studio("\(round) \($0)") }
      for studio in studios {
        context.insert(studio)
        early.insert(studio.persistentModelID)
      }
      try context.save()
    }
    isOver.raise()
    hasEnded.wait()
    let late = Set(try store.context().fetchIdentifiers(FetchDescriptor<Studio>()))
    #expect(late.count == 2_500 && late.isSubset(of: early) && early.isSubset(of: late))
    #expect(found.entries[0].count == 2_500 && found.entries[0].isSubset(of: early))
  }

  @Test("hashes are equal after rollbacks of rows whose identifiers were fetched", arguments: Engine.allCases)
  func undone(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let context = store.context()
    var all: [PersistentIdentifier] = []
    for _ in 0..<3 {
      #expect(throws: Failure.self) {
        try context.transaction {
          for name in ["a", "b", "c"] { context.insert(Studio(name)) }
          try context.save()
          all += try context.fetchIdentifiers(FetchDescriptor<Studio>())
          throw Failure()
        }
      }
    }
    let studios = ["d", "e", "f", "g"].map { Studio($0) }
    for studio in studios { context.insert(studio) }
    let early = studios.map(\.persistentModelID)
    try context.save()
    let late = try store.context().fetchIdentifiers(FetchDescriptor<Studio>())
    #expect(Set(late) == Set(early) && Set(late).count == 4)
    #expect(haveEqualHashes(all + early + late))
    // The identifiers of rolled-back rows differ from the identifiers of the rows inserted later.
    #expect(Set(all).isDisjoint(with: late))
  }

  @Test("hashes are equal for a class and its subclass, which share a table and its keys", arguments: Engine.allCases)
  func hierarchy(_ engine: Engine) throws {
    let store = try TestStore(engine, petModels)
    let context = store.context()
    let owner = PetOwner("Ada")
    context.insert(owner)
    try context.save()
    func insertPets(_ count: Int) -> [Animal] {
      let pets: [Animal] = (0..<count).map { number in
        if number.isMultiple(of: 2) { return Animal("\(number)", owner: owner) }
        return Parrot("\(number)", owner: owner)
      }
      for pet in pets { context.insert(pet) }
      return pets
    }
    var undone: [PersistentIdentifier] = []
    #expect(throws: Failure.self) {
      try context.transaction {
        _ = insertPets(4)
        try context.save()
        undone += try context.fetchIdentifiers(FetchDescriptor<Animal>())
        throw Failure()
      }
    }
    let pets = insertPets(5)
    let early = pets.map(\.persistentModelID)
    try context.save()
    let fresh = store.context()
    let late = try fresh.fetchIdentifiers(FetchDescriptor<Animal>())
    let parrots = try fresh.fetchIdentifiers(FetchDescriptor<Parrot>())
    let fetched = try fresh.fetch(FetchDescriptor<Animal>()).map(\.persistentModelID)
    #expect(undone.count == 4 && late.count == 5 && parrots.count == 2)
    #expect(Set(late) == Set(early) && Set(fetched) == Set(early) && Set(parrots).isSubset(of: early))
    #expect(haveEqualHashes(undone + early + late + parrots + fetched))
    #expect(Set(undone).isDisjoint(with: late))
  }

  @Test(
    "hashes are equal if a program created an identifier with the row's key before the row existed",
    arguments: Engine.allCases)
  func claimed(_ engine: Engine) throws {
    let store = try TestStore.disturbed(engine)
    let identifier = try store.context().artist().persistentModelID
    let storeName = try #require(identifier.storeIdentifier)
    let claims = try [2, 3, 5, 1_000, Int64.max - 1].map {
      try PersistentIdentifier.identifier(for: storeName, entityName: "Artist", primaryKey: $0)
    }
    let context = store.context()
    let artists = ["b", "c", "d"].map { Artist($0) }
    for artist in artists { context.insert(artist) }
    let early = artists.map(\.persistentModelID)
    let known = Set(early + claims)
    try context.save()
    let late = try store.context().fetchIdentifiers(FetchDescriptor<Artist>())
    #expect(haveEqualHashes(claims + early + late))
    #expect(early.allSatisfy(known.contains) && claims.allSatisfy(known.contains))
    #expect(Set(early).isSubset(of: late))
  }

  @Test("hashes are equal if a process decodes many identifiers of rows before its first save")
  func manyDecoded() throws {
    let store = try TestStore.studios(.file)
    let json = try {
      let context = store.context()
      for number in 0..<10_000 { context.insert(Work("\(number)")) }
      try context.save()
      let stored = try context.fetchIdentifiers(FetchDescriptor<Work>())
      return try JSONEncoder().encode(stored.indices.map { stored[$0 * 7919 % stored.count] })
    }()
    // Reopening makes the process forget all identifiers of rows, so that it behaves like a process that has just
    // started.
    try store.reopen()
    let decoded = try JSONDecoder().decode([PersistentIdentifier].self, from: json)
    let context = store.context()
    let works = (0..<10).map { Work("new \($0)") }
    for work in works { context.insert(work) }
    let early = Set(works.map(\.persistentModelID))
    try context.save()
    let late = Set(try store.context().fetchIdentifiers(FetchDescriptor<Work>()))
    #expect(late == early.union(decoded) && late.count == 10_010)
    #expect(works.allSatisfy { early.contains($0.persistentModelID) && late.contains($0.persistentModelID) })
  }

  @Test("hashes are equal if the first save failed and the second save succeeded", arguments: Engine.allCases)
  func failedSave(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let context = store.context()
    let studio = Studio("a")
    context.insert(studio)
    let early = studio.persistentModelID
    let known: Set = [early]
    try store.hide("Studio")
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(early.isTemporary && studio.persistentModelID == early)
    try store.show("Studio")
    try context.save()
    let late = try #require(try store.context().fetchIdentifiers(FetchDescriptor<Studio>()).first)
    #expect(!early.isTemporary && late == early && known.contains(late))
  }

  @Test("hashes are equal if undo restores a deleted model", arguments: Engine.allCases)
  func undoneDeletion(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    let (named, unnamed) = (Studio("a"), Studio("b"))
    context.insert(named)
    context.insert(unnamed)
    let early = named.persistentModelID
    try context.save()
    var all = [early] + (try store.context().fetchIdentifiers(FetchDescriptor<Studio>()))
    context.delete(named)
    context.delete(unnamed)
    try context.save()
    all += [named, unnamed].map(\.persistentModelID)
    manager.undo()
    all += [named, unnamed].map(\.persistentModelID)
    try context.save()
    all += [named, unnamed].map(\.persistentModelID)
    all += try store.context().fetchIdentifiers(FetchDescriptor<Studio>())
    #expect(Set(all).count == 2)
    #expect(haveEqualHashes(all))
  }

  @Test(
    "identifiers decoded from JSON have equal hashes, whether they were encoded before or after the save",
    arguments: Engine.allCases)
  func coded(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let context = store.context()
    let studio = Studio("a")
    let atBirth = try JSONEncoder().encode(studio.persistentModelID)
    context.insert(studio)
    try context.save()
    let saved = try JSONEncoder().encode(studio.persistentModelID)
    let decoded = try [atBirth, saved].map { try JSONDecoder().decode(PersistentIdentifier.self, from: $0) }
    #expect(Set(decoded + [studio.persistentModelID]).count == 1)
  }

  @Test("different identifiers rarely have the same hash")
  func spread() throws {
    let store = try TestStore.studios(.memory)
    let context = store.context()
    let studios = (0..<2_000).map { Studio("\($0)") }
    for studio in studios { context.insert(studio) }
    let early = studios.map(\.persistentModelID)
    #expect(Set(early.map(\.hashValue)).count > 1_990)
    try context.save()
    #expect(Set(try store.context().fetchIdentifiers(FetchDescriptor<Studio>()).map(\.hashValue)).count > 1_990)
  }
}
