import SwiftData
import Testing

@Suite("Inverses in models of an actor, declared by nonisolated classes")
struct InverseTests {
  @Test("the schema has both ends of the inverse, whatever the isolation of the other model")
  func schema() throws {
    let schema = Schema(kennelModels)
    func inverse(_ entity: String, _ name: String) -> String? {
      schema.entitiesByName[entity]?.relationshipsByName[name]?.inverseName
    }
    #expect(inverse("Dog", "kennel") == "dogs" && inverse("Kennel", "dogs") == "kennel")
    #expect(inverse("Dog", "post") == "guardDog" && inverse("Kennel", "guardDog") == "post")
    #expect(inverse("Walker", "kennels") == "walkers" && inverse("Kennel", "walkers") == "kennels")
    #expect(inverse("Club", "kennels") == "club" && inverse("Kennel", "club") == "kennels")
    #expect(inverse("Patient", "vet") == "patients" && inverse("Vet", "patients") == "vet")
    #expect(inverse("Bell", "tower") == "bells" && inverse("Tower", "bells") == "tower")
  }

  @Test(
    "both ends of one-to-many and one-to-one relationships stay consistent, in memory and in the store",
    arguments: Engine.allCases)
  func ends(_ engine: Engine) async throws {
    let store = try TestStore(engine, kennelModels)
    let shelf = Shelf(store.container)
    let kennel = Kennel(name: "north")
    try await shelf.perform { context in
      context.insert(kennel)
      let dogs = ["a", "b", "c"].map(Dog.init)
      for dog in dogs { dog.kennel = kennel }
      dogs[1].post = kennel
      #expect(kennel.assumeIsolated { $0.dogNames() } == ["a", "b", "c"])
      #expect(kennel.assumeIsolated { $0.guardDog?.id } == dogs[1].id)
      kennel.assumeIsolated { $0.adopt("d") }
      #expect(kennel.assumeIsolated { $0.dogs.last?.kennel?.id } == kennel.id)
      dogs[0].kennel = nil
      try context.save()
    }
    try await Shelf(store.container).perform { context in
      let dogs = try context.fetch(FetchDescriptor<Dog>(sortBy: [SortDescriptor(\.name)]))
      let found = try #require(dogs[1].kennel)
      #expect(dogs.map { $0.kennel?.persistentModelID } == [nil, found.id, found.id, found.id])
      #expect(found.assumeIsolated { $0.dogNames() } == ["b", "c", "d"])
      #expect(dogs[1].post === found && dogs[2].post == nil)
      found.assumeIsolated { $0.post("e") }
      #expect(dogs[1].post == nil)
    }
  }

  @Test("both ends of many-to-many relationships stay consistent", arguments: Engine.allCases)
  func many(_ engine: Engine) async throws {
    let store = try TestStore(engine, kennelModels)
    let shelf = Shelf(store.container)
    let kennels = [Kennel(name: "north"), Kennel(name: "south")]
    try await shelf.perform { context in
      for kennel in kennels { context.insert(kennel) }
      let walker = Walker("Ada")
      context.insert(walker)
      walker.kennels = kennels
      #expect(kennels[1].assumeIsolated { $0.hire("Bo") } == [kennels[1].id])
      try context.save()
    }
    try await Shelf(store.container).perform { context in
      let found = try context.fetch(FetchDescriptor<Kennel>(sortBy: [SortDescriptor(\._name)]))
      #expect(found.map { $0.assumeIsolated { Set($0.walkerNames()) } } == [["Ada"], ["Ada", "Bo"]])
    }
  }

  @Test("deleting an object of the class applies its delete rules to models of the actor", arguments: Engine.allCases)
  func deletion(_ engine: Engine) async throws {
    let store = try TestStore(engine, kennelModels)
    let kennel = Kennel(name: "north")
    try await Shelf(store.container).perform { context in
      let (club, dog) = (Club(), Dog("a"))
      context.insert(club)
      club.kennels = [kennel, Kennel(name: "south")]
      dog.kennel = kennel
      dog.post = kennel
      try context.save()
      context.delete(dog)
      #expect(throws: SwiftDataError.modelValidationFailure, "its post says that it stays") { try context.save() }
      context.rollback()
      dog.post = nil
      context.delete(club)
      try context.save()
      let (kennels, dogs) = (
        try context.fetchCount(FetchDescriptor<Kennel>()), try context.fetch(FetchDescriptor<Dog>())
      )
      #expect(kennels == 0 && dogs.map { $0.kennel == nil } == [true])
    }
  }

  @Test("predicates and sorts can use the relationship from either side", arguments: Engine.allCases)
  func predicates(_ engine: Engine) async throws {
    let store = try TestStore(engine, kennelModels)
    try await Shelf(store.container).perform { context in
      for (name, dogs) in [("north", ["a", "c"]), ("south", ["b"])] {
        let kennel = Kennel(name: name)
        context.insert(kennel)
        for dog in dogs { kennel.assumeIsolated { $0.adopt(dog) } }
      }
      try context.save()
    }
    try await Shelf(store.container).perform { context in
      let north = FetchDescriptor<Dog>(
        predicate: #Predicate { $0.kennel?._name == "north" }, sortBy: [SortDescriptor(\.name, order: .reverse)])
      let of = FetchDescriptor<Kennel>(predicate: #Predicate { $0._dogs.contains { $0.name == "b" } })
      let names = try context.fetch(of).map { $0.assumeIsolated { $0.name } }
      let dogs = try context.fetch(north).map(\.name)
      #expect(dogs == ["c", "a"] && names == ["south"])
    }
  }

  @Test("the class may belong to a global actor", arguments: Engine.allCases)
  @StoreActor func globalActor(_ engine: Engine) throws {
    let store = try TestStore(engine, kennelModels)
    let context = store.context()
    let (vet, patient) = (Vet("Ada"), Patient("Rex"))
    context.insert(vet)
    patient.vet = vet
    vet.patients.append(Patient("Tom"))
    #expect(vet.patients.map(\.name) == ["Rex", "Tom"])
    try context.save()
    let found = try store.context().fetch(
      FetchDescriptor<Patient>(predicate: #Predicate { $0.vet?._name == "Ada" }, sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["Rex", "Tom"] && found[0].vet === found[1].vet)
    #expect(found[0].vet?.patients.count == 2)
  }

  @Test("the class may belong to a global actor of any name", arguments: Engine.allCases)
  @Cellar func otherGlobalActor(_ engine: Engine) throws {
    let store = try TestStore(engine, kennelModels)
    let context = store.context()
    let tower = Tower()
    context.insert(tower)
    for weight in 1...3 { Bell(weight).tower = tower }
    try context.save()
    let found = try #require(try store.context().fetch(FetchDescriptor<Tower>()).first)
    #expect(found.bells.map(\.weight) == [1, 2, 3])
  }
}
