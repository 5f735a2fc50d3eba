import SwiftData
import Testing

@Suite("Engines that reserve keys in an order other than ascending")
struct FallingKeyTests {
  private func store(_ order: RemoteKeys.Order, _ wares: String = "") throws -> TestStore {
    let store = try TestStore(.remote, graphModels, link: RemoteLink(keys: RemoteKeys(order)))
    try store.keep(Shop("corner", wares: named(wares) { Ware($0) }))
    return store
  }

  private func wares(_ store: TestStore) throws -> [String] {
    try store.context().one("corner", Shop.self).wares.names
  }

  @Test(
    "keys from descending or interleaved blocks are unique, and keys of a rolled-back transaction are never reused",
    arguments: RemoteKeys.Order.allCases)
  func blocks(_ order: RemoteKeys.Order) throws {
    let store = try store(order)
    let context = store.context()
    var keys: [Int64] = []
    for letter in letters("abcdefgh") {
      let ware = Ware(letter)
      context.insert(ware)
      try context.save()
      keys.append(ware._$state.pointee.primaryKey)
      #expect(throws: Failure.self) {
        try context.transaction {
          let undone = Ware("undone")
          context.insert(undone)
          try context.save()
          keys.append(undone._$state.pointee.primaryKey)
          throw Failure()
        }
      }
    }
    #expect(keys != keys.sorted())
    #expect(Set(keys).count == 16)
    #expect(try store.context().names(of: Ware.self) == letters("abcdefgh"))
  }

  @Test(
    "members appended to a list, read or not, are stored at its end", arguments: RemoteKeys.Order.allCases,
    [false, true])
  func appending(_ order: RemoteKeys.Order, _ isRead: Bool) throws {
    let store = try store(order, "a")
    var wanted = ["a"]
    for number in 0..<30 {
      let context = store.context()
      let shop: Shop = try context.one("corner")
      if isRead { try #require(shop.wares.count == wanted.count) }
      context.insert(Ware("\(number)", shop: shop))
      try context.save()
      wanted.append("\(number)")
      #expect(try wares(store) == wanted)
      #expect(shop.wares.names == wanted)
    }
  }

  @Test("300 members that one save inserts keep the order of the list", arguments: RemoteKeys.Order.allCases)
  func many(_ order: RemoteKeys.Order) throws {
    let store = try store(order, "a")
    let wanted = (0..<300).map { "\($0)" }
    let context = store.context()
    let shop: Shop = try context.one("corner")
    for name in wanted { context.insert(Ware(name, shop: shop)) }
    context.insert(Shop("market", wares: wanted.map { Ware($0) }))
    try context.save()
    #expect(try wares(store) == ["a"] + wanted)
    #expect(try store.context().one("market", Shop.self).wares.names == wanted)
  }

  @Test("if two contexts append in turn, the list has the order of the saves", arguments: RemoteKeys.Order.allCases)
  func twoContexts(_ order: RemoteKeys.Order) throws {
    let store = try store(order, "a")
    let contexts = [store.context(), store.context()]
    let shops = try contexts.map { try $0.one("corner", Shop.self) }
    var wanted = ["a"]
    for number in 0..<30 {
      let (context, shop) = (contexts[number % 2], shops[number % 2])
      // This fetch applies the changes that the other context saved.
      _ = try context.fetchCount(FetchDescriptor<Car>())
      if number > 20 { #expect(shop.wares.names == wanted) }
      context.insert(Ware("\(number)", shop: shop))
      try context.save()
      wanted.append("\(number)")
      #expect(try wares(store) == wanted)
    }
  }

  @Test("if two processes append in turn, the list has the order of the saves", arguments: RemoteKeys.Order.allCases)
  func twoProcesses(_ order: RemoteKeys.Order) throws {
    let store = try store(order, "a")
    var wanted = ["a"]
    for number in 0..<20 {
      let context = try number.isMultiple(of: 2) ? store.foreignContext() : store.context()
      context.insert(Ware("\(number)", shop: try context.one("corner", Shop.self)))
      try context.save()
      wanted.append("\(number)")
      #expect(try wares(store) == wanted)
    }
  }

  @Test(
    "each of 80 successive saves stores the changed order of the list",
    arguments: RemoteKeys.Order.allCases)
  func manySaves(_ order: RemoteKeys.Order) throws {
    let store = try store(order, "abcdefgh")
    let context = store.context()
    let shop: Shop = try context.one("corner")
    var generator = SeededGenerator(seed: 3)
    for round in 0..<80 {
      try #require(shop.wares.count >= 8)
      let place = Int.random(in: 0..<shop.wares.count, using: &generator)
      switch round % 4 {
      case 0: shop.wares.append(Ware("\(round)"))
      case 1: shop.wares.insert(Ware("\(round)"), at: place)
      case 2:
        let moved = shop.wares.remove(at: place)
        shop.wares.append(moved)
      default:
        let moved = shop.wares.removeLast()
        shop.wares.insert(moved, at: place)
      }
      let wanted = shop.wares.names
      try context.save()
      #expect(shop.wares.names == wanted)
      #expect(try wares(store) == wanted)
    }
  }

  @Test(
    "if an upsert merges a new object into a row, the object's members come after the row's members",
    arguments: RemoteKeys.Order.allCases)
  func upserts(_ order: RemoteKeys.Order) throws {
    let store = try TestStore(.remote, uniqueModels, link: RemoteLink(keys: RemoteKeys(order)))
    var wanted: [String] = []
    for number in 0..<12 {
      let context = store.context()
      let country = Country("country")
      context.insert(country)
      for name in ["\(number) first", "\(number) second"] {
        context.insert(City(name, country: country))
        wanted.append(name)
      }
      try context.save()
      #expect(country.cities.names == wanted)
      #expect(try store.context().one("country", Country.self).cities.names == wanted)
    }
  }

  @Test(
    "if an upsert merges several new objects into one row, their members are in the order of the objects",
    arguments: RemoteKeys.Order.allCases)
  func upsertsOfOneSave(_ order: RemoteKeys.Order) throws {
    let store = try TestStore(.remote, uniqueModels, link: RemoteLink(keys: RemoteKeys(order)))
    var wanted: [String] = []
    for number in 0..<12 {
      let context = store.context()
      let countries = [Country("country"), Country("country")]
      for (country, name) in zip(countries, ["\(number) first", "\(number) second"]) {
        context.insert(country)
        context.insert(City(name, country: country))
        wanted.append(name)
      }
      try context.save()
      for country in countries { #expect(country.cities.names == wanted) }
      #expect(try store.context().one("country", Country.self).cities.names == wanted)
    }
  }

  @Test(
    "an identifier from before the save equals that of the saved row, regardless of the rows that were read before",
    arguments: RemoteKeys.Order.allCases)
  func identifiers(_ order: RemoteKeys.Order) throws {
    let store = try store(order, "abc")
    let context = store.context()
    var early: Set<PersistentIdentifier> = []
    for round in 0..<10 {
      early.formUnion(try store.context().fetchIdentifiers(FetchDescriptor<Ware>()))
      let wares = (0..<7).map { Ware("\(round) \($0)") }
      for ware in wares {
        context.insert(ware)
        early.insert(ware.persistentModelID)
      }
      try context.save()
    }
    #expect(early == Set(try store.context().fetchIdentifiers(FetchDescriptor<Ware>())))
    #expect(early.count == 73)
  }

  @Test("no new row gets a key for which an identifier exists", arguments: RemoteKeys.Order.allCases)
  func claims(_ order: RemoteKeys.Order) throws {
    let store = try store(order)
    let context = store.context()
    let storeName = try #require(try context.one("corner", Shop.self).persistentModelID.storeIdentifier)
    // The context reads a ware that was saved before. If the keys descend, the key of this ware is greater than the
    // following keys.
    try store.keep(Ware("a"))
    var all = Set(try context.fetchIdentifiers(FetchDescriptor<Ware>()))
    let start: Int64 = 1 << 40
    var keys = Array(start - 20...start - 4)
    keys += start + 1...start + 20
    keys += 1_000...1_020
    let claims = try keys.map {
      try PersistentIdentifier.identifier(for: storeName, entityName: "Ware", primaryKey: $0)
    }
    let wares = named("bcdefgh") { Ware($0) }
    for ware in wares { context.insert(ware) }
    all.formUnion(wares.map(\.persistentModelID))
    try context.save()
    let late = Set(try store.context().fetchIdentifiers(FetchDescriptor<Ware>()))
    #expect(late == all && late.count == 8)
    #expect(late.isDisjoint(with: claims))
  }
}
