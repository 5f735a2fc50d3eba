import SwiftData
import Testing

@Suite("A connection that is lost at any round trip")
struct LostConnectionTests {
  /// Operations on a store that loses its connection, and the content that is compared before and after them.
  private struct Work {
    let models: [any PersistentModel.Type]
    /// Saves the initial content of the store.
    let prepare: (TestStore) throws -> Void
    /// Makes changes in a context. Returns the operation that causes round trips, and that can be repeated after it
    /// throws.
    let begin: (ModelContext) throws -> () throws -> Void
    let content: (ModelContext) throws -> [String]
  }

  /// Runs the operation repeatedly. The connection is lost at its first round trip, then at its second, and so on until
  /// the operation succeeds.
  ///
  /// Each time the operation must throw a descriptive error, and leave the store and the content of the context
  /// unchanged. At the end, the store must equal a store that never lost its connection.
  private func sweep(_ work: Work, beginsLate: Bool) throws {
    let (before, after) = try undisturbed(work)
    let store = try TestStore(.remote, work.models)
    store.link.beginsLate = beginsLate
    try work.prepare(store)
    let context = store.context()
    let attempt = try work.begin(context)
    // Reads all rows that the operation needs, so that it can run after a loss.
    let held = try work.content(context)
    var losses = 0
    for trip in 1...400 {
      store.link.go(atTrip: trip)
      do {
        try attempt()
        break
      } catch {
        let loss = error as? SwiftDataError
        #expect(loss == .storeUnreachable, "trip \(trip): \(error)")
        #expect(loss?.explanation?.isEmpty == false, "trip \(trip)")
        losses += 1
      }
      store.link.stay()
      #expect(try work.content(store.context()) == before, "trip \(trip)")
      #expect(context.hasChanges, "trip \(trip)")
      #expect(try work.content(context) == held, "trip \(trip)")
    }
    store.link.stay()
    #expect((6..<400).contains(losses), "\(losses)")
    #expect(!context.hasChanges)
    #expect(try work.content(store.context()) == after)
    #expect(try work.content(context) == after)
  }

  /// The contents of a store before and after the operation, if no connection is lost.
  private func undisturbed(_ work: Work) throws -> (before: [String], after: [String]) {
    let store = try TestStore(.memory, work.models)
    try work.prepare(store)
    let before = try work.content(store.context())
    let context = store.context()
    try work.begin(context)()
    let after = try work.content(store.context())
    #expect(before != after)
    return (before, after)
  }

  // MARK: Relationships

  private static func prepareGraph(_ store: TestStore) throws {
    let (ann, bob, driver, playlist) = (Student("ann"), Student("bob"), Driver("driver"), Playlist("playlist"))
    let (art, biology) = (Course("art"), Course("biology"))
    let (first, second) = (Song("first"), Song("second"))
    ann.courses = [art]
    bob.courses = [art, biology]
    driver.car = Car("car")
    playlist.songs = [first, second]
    playlist.opener = first
    try store.keep(
      Shop("corner", wares: named("abc") { Ware($0) }), Shop("market"), ann, bob, driver, Car("van"), playlist)
  }

  private static func living<T: Named>(_ models: [T]) -> [String] { models.filter { !$0.isDeleted }.names }

  private static func graph(_ context: ModelContext) throws -> [String] {
    var lines = try context.fetch(FetchDescriptor<Shop>()).map { "shop \($0.name): \(living($0.wares))" }
    lines += try context.fetch(FetchDescriptor<Ware>()).map { "ware \($0.name): \($0.shop?.name ?? "")" }
    lines += try context.fetch(FetchDescriptor<Driver>()).map { "driver \($0.name): \($0.car?.name ?? "")" }
    lines += try context.fetch(FetchDescriptor<Car>()).map { "car \($0.name): \($0.driver?.name ?? "")" }
    lines += try context.fetch(FetchDescriptor<Student>()).map { "student \($0.name): \(living($0.courses))" }
    lines += try context.fetch(FetchDescriptor<Course>()).map { "course \($0.name): \(living($0.students).sorted())" }
    lines += try context.fetch(FetchDescriptor<Playlist>()).map {
      "playlist \($0.name): \(living($0.songs)), \($0.opener?.name ?? "")"
    }
    return lines.sorted()
  }

  @Test("a save of every kind of relationship is atomic and can be repeated", arguments: [false, true])
  func relationships(_ beginsLate: Bool) throws {
    let work = Work(
      models: graphModels, prepare: Self.prepareGraph,
      begin: { context in
        let corner: Shop = try context.one("corner")
        let ware: Ware = try context.one("a")
        ware.shop = try context.one("market")
        corner.wares.append(Ware("d"))
        corner.wares.swapAt(0, 1)
        context.delete(try context.one("b", Ware.self))
        try context.one("driver", Driver.self).car = try context.one("van", Car.self)
        try context.one("ann", Student.self).courses = [try context.one("biology"), Course("chemistry")]
        context.delete(try context.one("art", Course.self))
        let playlist: Playlist = try context.one("playlist")
        playlist.songs.append(Song("third"))
        playlist.songs.swapAt(0, 1)
        playlist.opener = try context.one("second", Song.self)
        return { try context.save() }
      }, content: Self.graph)
    try sweep(work, beginsLate: beginsLate)
  }

  // MARK: Upserts

  private static func prepareUnique(_ store: TestStore) throws {
    let norway = Country("Norway", population: 5, motto: "Alt for Norge")
    try store.keep(
      norway, Country("Chad", population: 17), City("Oslo", mayor: "one", country: norway),
      Post("old", tags: [Tag("red", color: "dark")]), Account("ann", site: "a", visits: 1),
      Account("bob", site: "b", visits: 2))
  }

  private static func unique(_ context: ModelContext) throws -> [String] {
    var lines = try context.fetch(FetchDescriptor<Country>()).map {
      "country \($0.name): \($0.population), \($0.motto ?? "")"
    }
    lines += try context.fetch(FetchDescriptor<City>()).map {
      "city \($0.name): \($0.mayor), \($0.country?.name ?? "")"
    }
    lines += try context.fetch(FetchDescriptor<Tag>()).map { "tag \($0.name): \($0.color), \($0.posts.names.sorted())" }
    lines += try context.fetch(FetchDescriptor<Post>()).map { "post \($0.name): \($0.tags.names)" }
    lines += try context.fetch(FetchDescriptor<Account>()).map { "account \($0.name) of \($0.site): \($0.visits)" }
    return lines.sorted()
  }

  @Test(
    "a save that upserts and exchanges unique values is atomic and can be repeated",
    arguments: [false, true])
  func upserts(_ beginsLate: Bool) throws {
    let work = Work(
      models: uniqueModels, prepare: Self.prepareUnique,
      begin: { context in
        let (ann, bob) = (try context.one("ann", Account.self), try context.one("bob", Account.self))
        (ann.name, bob.name) = (bob.name, ann.name)
        (ann.site, bob.site) = (bob.site, ann.site)
        try context.one("Chad", Country.self).population = 18
        let norway = Country("Norway", population: 6)
        context.insert(norway)
        context.insert(City("Oslo", mayor: "two", country: norway))
        context.insert(Post("new", tags: [Tag("red", color: "light")]))
        return { try context.save() }
      }, content: Self.unique)
    try sweep(work, beginsLate: beginsLate)
  }

  // MARK: Transactions

  @Test(
    "a transaction with saves and a nested transaction is rolled back, even if its block continues after the loss",
    arguments: [false, true], [false, true])
  func transactions(_ beginsLate: Bool, _ goesOn: Bool) throws {
    let work = Work(
      models: graphModels, prepare: Self.prepareGraph,
      begin: { context in
        let (corner, market) = (try context.one("corner", Shop.self), try context.one("market", Shop.self))
        let wares: [Ware] = try letters("abc").map { try context.one($0) }
        // These changes are pending before the transaction begins, and are pending again after each lost connection.
        market.name = "bazaar"
        context.insert(Shop("kiosk"))
        return {
          try context.transaction {
            context.insert(Ware("d", shop: corner))
            wares[0].shop = market
            context.delete(wares[2])
            try context.save()
            do {
              try context.transaction {
                corner.wares.append(Ware("e"))
                wares[1].name = "B"
                try context.save()
                context.insert(Shop("stall"))
              }
            } catch {
              guard goesOn else { throw error }
            }
            wares[0].name = "A"
          }
        }
      }, content: Self.graph)
    try sweep(work, beginsLate: beginsLate)
  }
}
