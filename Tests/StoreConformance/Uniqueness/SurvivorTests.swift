import SwiftData
import Testing

@Suite("Relationships of new objects that are upserted to existing rows", .serialized)
struct SurvivorTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, uniqueModels)
    let country = Country("Norway")
    country.cities = [City("Oslo")]
    try store.keep(country, Post("first", tags: [Tag("swift", color: "red")]))
    return store
  }

  @Test("objects related to the new object become related to the row", arguments: Engine.allCases)
  func manyToMany(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let post = Post("second", tags: [Tag("swift", color: "orange"), Tag("linux")])
    context.insert(post)
    try context.save()
    #expect(post.tags.names == ["swift", "linux"])
    try #require(post.tags.count == 2)
    #expect(post.tags[0].posts.contains(post))
    let fresh = store.context()
    #expect(try fresh.names(of: Tag.self) == ["linux", "swift"])
    let tag: Tag = try fresh.one("swift")
    #expect(tag.color == "orange")
    #expect(tag.posts.names.contains("second"))
    #expect(try fresh.one("second", Post.self).tags.names == ["swift", "linux"])
  }

  @Test(
    "objects related to the new object become related to the object registered for the row", arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let known: Tag = try context.one("swift")
    let post = Post("second", tags: [Tag("swift")])
    context.insert(post)
    try context.save()
    #expect(post.tags.count == 1 && post.tags[0] == known)
    #expect(known.posts.contains(post))
    #expect(try store.context().one("second", Post.self).tags.names == ["swift"])
  }

  @Test("several posts with tags of the same name share one row", arguments: Engine.allCases)
  func oneBatch(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let posts = (0..<5).map { Post("\($0)", tags: [Tag("new"), Tag("swift")]) }
    for post in posts { context.insert(post) }
    try context.save()
    let fresh = store.context()
    #expect(try fresh.names(of: Tag.self) == ["new", "swift"])
    let tag: Tag = try fresh.one("new")
    #expect(tag.posts.names.sorted() == letters("01234"))
    for post in posts { #expect(post.tags.names == ["new", "swift"]) }
    #expect(Set(posts.map { $0.tags.first?.persistentModelID }).count == 1)
    for number in 0..<5 {
      #expect(try fresh.one("\(number)", Post.self).tags.names == ["new", "swift"])
    }
  }

  @Test("children of the new object become children of the row", arguments: Engine.allCases)
  func oneToMany(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let country = Country("Norway", population: 5)
    country.cities = [City("Bergen"), City("Hamar")]
    context.insert(country)
    try context.save()
    let fresh = store.context()
    #expect(try fresh.names(of: Country.self) == ["Norway"])
    let found: Country = try fresh.one("Norway")
    #expect(found.population == 5)
    #expect(Set(found.cities.names).isSuperset(of: ["Bergen", "Hamar"]))
    for city in found.cities { #expect(city.country === found) }
    #expect(try fresh.one("Bergen", City.self).country === found)
    #expect(country.cities.names == found.cities.names)
  }

  @Test("children of several new objects with one value all become children of one row", arguments: Engine.allCases)
  func losers(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    for name in letters("abc") {
      let country = Country("Peru")
      context.insert(country)
      country.cities.append(City(name))
    }
    try context.save()
    let fresh = store.context()
    let peru: Country = try fresh.one("Peru")
    #expect(Set(peru.cities.names) == Set(letters("abc")))
    #expect(try context.one("Peru", Country.self).cities.count == 3)
  }

  @Test("a reference to a new object that becomes an existing row refers to that row", arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let city = City("Bergen", country: Country("Norway"))
    context.insert(city)
    try context.save()
    #expect(city.country?.persistentModelID == (try store.context().one("Norway", Country.self).persistentModelID))
    #expect(try store.context().one("Bergen", City.self).country?.name == "Norway")
    city.country?.population = 9
    try context.save()
    #expect(try store.context().one("Norway", Country.self).population == 9)
  }

  @Test("related objects at deeper levels are updated too", arguments: Engine.allCases)
  func deeper(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let city = City("Oslo", mayor: "new", country: Country("Norway"))
    city.streets = [Street("Storgata")]
    context.insert(city)
    try context.save()
    let fresh = store.context()
    #expect(try fresh.names(of: City.self) == ["Oslo"])
    let found: City = try fresh.one("Oslo")
    #expect(found.mayor == "new")
    #expect(found.streets.names == ["Storgata"])
    #expect(found.country?.cities.names == ["Oslo"])
  }
}
