import OpenSwiftData
import Testing

@Suite("Aggregates", .serialized)
struct AggregateTests {
  private func filled(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine)
    let context = store.context()
    let agency = Agency("North", isOpen: true)
    let ada = Author("Ada", agency: agency)
    let bob = Author("Bob")
    context.insert(
      Text("a", pages: 10, price: Decimal(string: "0.1")!, rating: 1, isRead: true, importance: .high, author: ada))
    context.insert(
      Text("b", pages: 20, price: Decimal(string: "0.2")!, importance: .low, urgency: .high, author: ada))
    context.insert(
      Text("c", pages: 30, price: Decimal(string: "0.3")!, rating: 4, importance: .middle, urgency: .low, author: bob))
    context.insert(Text("d", pages: -5, rating: 2.5, stage: .final))
    try context.save()
    return store
  }

  @Test("numbers are added, averaged and compared", arguments: Engine.allCases)
  func numbers(_ engine: Engine) throws {
    let store = try filled(engine)
    let context = store.context()
    #expect(try context.sum(of: \Text.pages) == 55)
    #expect(try context.average(of: \Text.pages) == 13.75)
    #expect(try context.min(of: \Text.pages) == -5)
    #expect(try context.max(of: \Text.pages) == 30)
    #expect(try context.sum(of: \Text.rating) == 7.5)
    #expect(try context.average(of: \Text.rating) == 2.5)
    #expect(try context.max(of: \Text.rating) == 4)
    #expect(try context.sum(of: \Text.price) == Decimal(string: "0.6")!)
    #expect(try context.average(of: \Text.price) == Decimal(string: "0.15")!)
    #expect(try context.max(of: \Text.title) == "d")
    #expect(try context.aggregate(Text.self, .count(of: \.rating)) == 3)
  }

  @Test("a predicate selects the models", arguments: Engine.allCases)
  func predicates(_ engine: Engine) throws {
    let context = try filled(engine).context()
    #expect(try context.sum(of: \Text.pages, where: #Predicate { $0.pages > 10 }) == 50)
    #expect(try context.max(of: \Text.title, where: #Predicate { $0.rating != nil && $0.pages > 0 }) == "c")
    let (count, pages, best) = try context.aggregate(
      Text.self, where: #Predicate { $0.pages > 0 }, .count, .sum(of: \.pages), .max(of: \.rating))
    #expect(count == 3 && pages == 60 && best == 4)
  }

  @Test("a captured condition in a predicate is evaluated again for each call", arguments: Engine.allCases)
  func chosenValues(_ engine: Engine) throws {
    let context = try filled(engine).context()
    let few = 10
    let many = 30
    for isFew in [true, false, true] {
      let sum = try context.sum(of: \Text.pages, where: #Predicate { $0.pages == (isFew ? few : many) })
      #expect(sum == (isFew ? few : many))
    }
  }

  @Test("the sum of no values is 0; their minimum, maximum and average are nil", arguments: Engine.allCases)
  func nothing(_ engine: Engine) throws {
    let context = try TestStore(engine).context()
    #expect(try context.sum(of: \Text.pages) == 0)
    #expect(try context.sum(of: \Text.price) == 0)
    #expect(try context.sum(of: \Text.rating) == 0)
    #expect(try context.average(of: \Text.pages) == nil)
    #expect(try context.average(of: \Text.price) == nil)
    #expect(try context.min(of: \Text.title) == nil)
    #expect(try context.max(of: \Text.rating) == nil)
    #expect(try context.distinct(\Text.pages).isEmpty)
    #expect(try context.grouped(by: \Text.pages, .count).isEmpty)
    #expect(try context.aggregate(Text.self, .count) == 0)
  }

  @Test("enums, members and related values are aggregated", arguments: Engine.allCases)
  func kinds(_ engine: Engine) throws {
    let context = try filled(engine).context()
    #expect(try context.max(of: \Text.importance) == .high)
    #expect(try context.min(of: \Text.urgency) == .low)
    #expect(try context.max(of: \Text.urgency) == .high)
    #expect(try context.max(of: \Text.stage) == .final)
    #expect(try context.min(of: \Text.author?.name) == "Ada")
    #expect(try context.max(of: \Text.author?.agency?.name) == "North")
    #expect(try context.distinct(\Text.shelf.city) == [""])
    #expect(try context.aggregate(Text.self, .countDistinct(of: \Text.author?.name)) == 2)
    let different = try context.aggregate(Text.self, .countDistinct(of: \.price), .countDistinct(of: \.rating))
    #expect(different.0 == 4 && different.1 == 3)
  }

  @Test("groups are in the order of their values, nil first", arguments: Engine.allCases)
  func groups(_ engine: Engine) throws {
    let context = try filled(engine).context()
    let byAuthor = try context.grouped(by: \Text.author?.name, .count, .sum(of: \.pages), .average(of: \.rating))
    #expect(byAuthor.map(\.key) == [nil, "Ada", "Bob"])
    #expect(byAuthor.map(\.values.0) == [1, 2, 1])
    #expect(byAuthor.map(\.values.1) == [-5, 30, 30])
    #expect(byAuthor.map(\.values.2) == [2.5, 1, 4])
    #expect(try context.grouped(by: \Text.isRead, .count).map(\.values) == [3, 1])
    #expect(try context.grouped(by: \Text.importance, .count).map(\.key) == [.low, .middle, .high])
    #expect(try context.distinct(\Text.urgency) == [nil, .low, .high])
    let filtered = try context.grouped(by: \Text.stage, where: #Predicate { $0.pages > 0 }, .max(of: \.pages))
    #expect(filtered.map(\.key) == [.draft] && filtered.map(\.values) == [30])
    let owners = try context.grouped(by: \Text.author?.persistentModelID, .count)
    #expect(owners.map(\.values) == [1, 2, 1])
    let ada = try #require(try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Ada" })).first)
    #expect(owners[1].key == ada.persistentModelID)
  }

  @Test("aggregates and groups can use expressions", arguments: Engine.allCases)
  func expressions(_ engine: Engine) throws {
    let context = try filled(engine).context()
    let longer = #Expression<Text, Int> { $0.pages * 2 + 1 }
    let hasRating = #Expression<Text, Bool> { $0.rating != nil }
    let known = #Expression<Text, Double> { $0.rating ?? 0 }
    #expect(try context.sum(of: longer) == 114)
    #expect(try context.sum(of: known) == 7.5)
    let (longest, average) = try context.aggregate(Text.self, .max(of: longer), .average(of: known))
    #expect(longest == 61 && average == 1.875)
    #expect(try context.grouped(by: hasRating, .count).map(\.values) == [1, 3])
    #expect(try context.distinct(hasRating) == [false, true])
  }

  @Test(
    "an aggregate whose expressions and predicates follow relationships is one statement", arguments: Engine.allCases)
  func relatedExpressions(_ engine: Engine) throws {
    let context = try filled(engine).context()
    let name = #Expression<Text, String?> { $0.author?.name }
    let agency = #Expression<Text, String?> { $0.author?.agency?.name }
    let groups = try context.grouped(by: name, where: #Predicate { $0.author?.name != "Bob" }, .count, .max(of: agency))
    #expect(groups.map(\.key) == [nil, "Ada"])
    #expect(groups.map(\.values.0) == [1, 2])
    #expect(groups.map(\.values.1) == [nil, "North"])
    let north = try #require(try context.fetch(FetchDescriptor<Agency>()).first)
    north.name = "South"
    let greatest: String? = try context.aggregate(Text.self, .max(of: agency))
    #expect(greatest == "South", "what is not saved counts")
  }

  @Test("aggregates create no model", arguments: Engine.allCases)
  func noModels(_ engine: Engine) throws {
    let store = try filled(engine)
    let context = store.context()
    _ = try context.grouped(by: \Text.author?.name, .count, .sum(of: \.pages), .countDistinct(of: \.title))
    _ = try context.distinct(\Text.price)
    for identifier in try context.fetchIdentifiers(FetchDescriptor<Text>()) {
      #expect(context.registeredModel(for: identifier) as Text? == nil)
    }
  }

  @Test("one statement computes an aggregate, with an index for a minimum or maximum")
  func statements() throws {
    let store = try LoggedStore()
    let context = store.context()
    context.insert(Text("a", pages: 3))
    try context.save()
    var most: Int?
    let extreme = try store.reads { most = try context.max(of: \Text.pages) }
    #expect(extreme == [#"SELECT max("pages") FROM "Text""#])
    #expect(most == 3)
    let grouped = try store.reads { _ = try context.grouped(by: \Text.title, .count, .sum(of: \.pages)) }
    #expect(
      grouped == [
        #"SELECT "title", count(*), sum_of_integers("pages") FROM "Text" GROUP BY 1 ORDER BY 1"#
      ])
  }
}
