import SwiftData
import Testing

@Suite("Upserts: saving a new object whose unique value a row already has", .serialized)
struct UpsertTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, uniqueModels)
    try store.keep(Country("Norway", population: 5, motto: "Alt for Norge"), Country("Chad", population: 17))
    return store
  }

  private func populations(_ store: TestStore) throws -> [String: Int] {
    let found = try store.context().fetch(FetchDescriptor<Country>())
    return Dictionary(found.map { ($0.name, $0.population) }) { _, _ in -1 }
  }

  @Test("a new object with the unique value of a row updates that row", arguments: Engine.allCases)
  func update(_ engine: Engine) throws {
    let store = try store(engine)
    let identifier = try store.context().one("Norway", Country.self).persistentModelID
    let context = store.context()
    let country = Country("Norway", population: 6)
    context.insert(country)
    try context.save()
    try store.reopen()
    #expect(try populations(store) == ["Norway": 6, "Chad": 17])
    let found: Country = try store.context().one("Norway")
    #expect(found.motto == nil)
    #expect(found.persistentModelID == identifier)
  }

  @Test("the inserted object becomes the object of the row", arguments: Engine.allCases)
  func instance(_ engine: Engine) throws {
    let store = try store(engine)
    let identifier = try store.context().one("Norway", Country.self).persistentModelID
    let context = store.context()
    let country = Country("Norway", population: 6)
    context.insert(country)
    let early = country.persistentModelID
    try context.save()
    #expect(country.persistentModelID == identifier)
    // `early` already had a hash before the save knew the row. A hash must not change, so `early` cannot become equal
    // to the row's identifier. A look-up by either identifier returns the object.
    #expect(early != identifier && context[early, as: Country.self] === country)
    #expect(context[identifier, as: Country.self] === country)
    #expect(try context.one("Norway", Country.self) === country)
    #expect(!context.hasChanges && !country.isDeleted)
    country.population = 7
    try context.save()
    #expect(try populations(store) == ["Norway": 7, "Chad": 17])
  }

  @Test(
    "an object that the context already has for the row gets the new values, and both objects stay usable",
    arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let known: Country = try context.one("Norway")
    let country = Country("Norway", population: 6)
    context.insert(country)
    try context.save()
    #expect(known.population == 6)
    #expect(known.motto == nil)
    #expect(known == country)
    #expect(known.persistentModelID == country.persistentModelID)
    #expect(country.population == 6 && country.name == "Norway")
    #expect(try context.fetchCount(FetchDescriptor<Country>()) == 2)
    try context.one("Norway", Country.self).population = 7
    try context.save()
    #expect(known.population == 7)
    #expect(try populations(store) == ["Norway": 7, "Chad": 17])
  }

  @Test(
    "the new object's values overwrite unsaved changes of the object that the context already has for the row",
    arguments: Engine.allCases)
  func registeredAndChanged(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let known: Country = try context.one("Norway")
    known.population = 100
    context.insert(Country("Norway", population: 6))
    try context.save()
    #expect(known.population == 6)
    #expect(try populations(store) == ["Norway": 6, "Chad": 17])
  }

  @Test(
    "several new objects with the same unique value become one row with the values of the last object",
    arguments: Engine.allCases)
  func oneBatch(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let countries = (1...3).map { Country("Peru", population: $0) }
    for country in countries { context.insert(country) }
    try context.save()
    #expect(try populations(store) == ["Norway": 5, "Chad": 17, "Peru": 3])
    #expect(Set(countries.map(\.persistentModelID)).count == 1)
    #expect(try context.fetchCount(FetchDescriptor<Country>()) == 3)
    #expect(countries.allSatisfy { $0.population == 3 && !$0.isDeleted })
    #expect(try context.fetch(FetchDescriptor<Country>()).count == 3)
  }

  @Test(
    "several new objects with the unique value of a row update the row with the values of the last object",
    arguments: Engine.allCases)
  func oneBatchAgainstStore(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    for population in [6, 7] { context.insert(Country("Norway", population: population)) }
    context.insert(Country("Peru", population: 1))
    try context.save()
    #expect(try populations(store) == ["Norway": 7, "Chad": 17, "Peru": 1])
  }

  @Test("one save can insert 1,000 rows and update 1,000 others", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    for round in 1...2 {
      let context = store.context()
      for number in 0..<(1000 * round) { context.insert(Country("\(number)", population: round)) }
      try context.save()
    }
    let found = try populations(store)
    #expect(found.count == 2000)
    #expect(found.values.allSatisfy { $0 == 2 })
  }

  @Test("a save updates a row that another context inserted after this context's insertion", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let mine = Country("Peru", population: 1)
    let theirs = Country("Peru", population: 2)
    here.insert(mine)
    there.insert(theirs)
    try there.save()
    try here.save()
    #expect(try populations(store) == ["Norway": 5, "Chad": 17, "Peru": 1])
    #expect(mine.persistentModelID == theirs.persistentModelID)
    #expect(mine == theirs && mine !== theirs)
    #expect(try there.one("Peru", Country.self) === theirs)
    #expect(theirs.population == 1)
  }

  @Test("a new object can have the unique value of a row that the same save deletes", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let old: Country = try context.one("Norway")
    context.delete(old)
    let new = Country("Norway", population: 6)
    context.insert(new)
    try context.save()
    #expect(old.isDeleted && !new.isDeleted)
    #expect(try populations(store) == ["Norway": 6, "Chad": 17])
  }

  @Test("two objects can exchange their unique values in one save", arguments: Engine.allCases)
  func exchange(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let (norway, chad): (Country, Country) = (try context.one("Norway"), try context.one("Chad"))
    (norway.name, chad.name) = ("Chad", "Norway")
    try context.save()
    #expect(try populations(store) == ["Chad": 5, "Norway": 17])
  }

  @Test(
    "a failed save changes neither the row nor the new object, and a later save updates the row",
    arguments: Engine.allCases)
  func failing(_ engine: Engine) throws {
    let store = try TestStore(engine, [Country.self, City.self, Street.self, Note.self])
    try store.keep(Country("Norway", population: 5))
    let context = store.context()
    let country = Country("Norway", population: 6)
    context.insert(country)
    let wet = Note(1, ink: .wet)
    context.insert(wet)
    #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
    #expect(try populations(store) == ["Norway": 5])
    #expect(context.insertedModelsArray.count == 2)
    context.delete(wet)
    try context.save()
    #expect(try populations(store) == ["Norway": 6])
  }

  @Test("a transaction that throws after it saved an upsert restores the row", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let known: Country = try context.one("Norway")
    let country = Country("Norway", population: 6)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(country)
        try context.save()
        throw Failure()
      }
    }
    #expect(known.population == 5)
    #expect(known.motto == "Alt for Norge")
    #expect(try populations(store) == ["Norway": 5, "Chad": 17])
    #expect(country.modelContext == nil)
  }

  @Test("didSave lists the upserted row as updated and not as inserted", arguments: Engine.allCases)
  func notification(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let log = Log<[Int]>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      note in
      func count(_ key: ModelContext.NotificationKey) -> Int {
        (note.userInfo?[key.rawValue] as? [PersistentIdentifier])?.count ?? 0
      }
      log.add([count(.insertedIdentifiers), count(.updatedIdentifiers)])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Country("Norway", population: 6))
    try context.save()
    #expect(log.entries == [[0, 1]])
  }
}
