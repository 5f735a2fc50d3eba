import OpenSwiftData
import Testing

/// Aggregates must cover the same models as a fetch, including inserted and changed models that are not saved yet.
@Suite("Aggregates with unsaved changes", .serialized)
struct PendingAggregateTests {
  private struct Summary: Equatable {
    var count = 0
    var pages = 0
    var price: Decimal = 0
    var least: Double?
    var greatest: String?
    var average: Double?
    var different = 0
    var groups: [String?: Int] = [:]
    var keys: [String?] = []
  }

  private func calculated(_ context: ModelContext, _ predicate: Predicate<Text>?) throws -> Summary {
    let all = try context.aggregate(
      Text.self, where: predicate, .count, .sum(of: \.pages), .sum(of: \.price), .min(of: \.rating), .max(of: \.title),
      .average(of: \.rating), .countDistinct(of: \.pages))
    let groups = try context.grouped(by: \Text.subtitle, where: predicate, .sum(of: \.pages))
    return Summary(
      count: all.0, pages: all.1, price: all.2, least: all.3, greatest: all.4, average: all.5, different: all.6,
      groups: Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.values) }), keys: groups.map(\.key))
  }

  private func expected(_ context: ModelContext, _ predicate: Predicate<Text>?) throws -> Summary {
    let texts = try context.fetch(FetchDescriptor(predicate: predicate))
    let ratings = texts.compactMap(\.rating)
    let groups = Dictionary(grouping: texts, by: \.subtitle).mapValues { $0.reduce(0) { $0 + $1.pages } }
    return Summary(
      count: texts.count, pages: texts.reduce(0) { $0 + $1.pages }, price: texts.reduce(0) { $0 + $1.price },
      least: ratings.min(), greatest: texts.map(\.title).max(),
      average: ratings.isEmpty ? nil : ratings.reduce(0, +) / Double(ratings.count),
      different: Set(texts.map(\.pages)).count, groups: groups,
      keys: groups.keys.sorted { ($0 ?? "", $0 == nil ? 0 : 1) < ($1 ?? "", $1 == nil ? 0 : 1) })
  }

  @Test(
    "after random changes, aggregates equal the results computed from fetched models, before and after the save",
    arguments: Engine.randomCases)
  func random(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let store = try TestStore(engine)
    let context = store.context()
    for step in 0..<60 * RandomTesting.soak {
      try change(context, &generator)
      let bound = Int.random(in: -20...20, using: &generator)
      for predicate in [nil, #Predicate<Text> { $0.pages > bound }, #Predicate<Text> { $0.rating == nil }] {
        let (found, wanted) = (try calculated(context, predicate), try expected(context, predicate))
        #expect(found == wanted, "seed \(seed), step \(step)")
        guard found == wanted else { return }
      }
      if step % 5 == 4 { Bool.random(using: &generator) ? try context.save() : context.rollback() }
    }
  }

  private func change(_ context: ModelContext, _ generator: inout SeededGenerator) throws {
    let texts = try context.fetch(FetchDescriptor<Text>())
    let pages = Int.random(in: -50...50, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0, 1:
      context.insert(
        Text(
          "\(pages)", subtitle: ["x", "y", nil].randomElement(using: &generator) ?? nil, pages: pages,
          price: Decimal(pages) / 4, rating: Bool.random(using: &generator) ? Double(pages) / 8 : nil))
    case 2: texts.randomElement(using: &generator)?.pages = pages
    case 3: texts.randomElement(using: &generator).map(context.delete)
    default:
      try context.delete(model: Text.self, where: #Predicate { $0.pages == pages })
      texts.randomElement(using: &generator)?.subtitle = "z"
    }
  }

  @Test("aggregates over related models use their unsaved values", arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let author = Author("Ada")
    context.insert(Text("a", pages: 1, author: author))
    context.insert(Text("b", pages: 2, author: Author("Bob")))
    try context.save()
    author.name = "Zoe"
    #expect(try context.grouped(by: \Text.author?.name, .sum(of: \.pages)).map(\.key) == ["Bob", "Zoe"])
    #expect(try context.max(of: \Text.author?.name) == "Zoe")
    try context.save()
    #expect(try context.distinct(\Text.author?.name) == ["Bob", "Zoe"])
  }
}
