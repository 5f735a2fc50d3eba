import OpenSwiftData

extension Exercise {
  private typealias Sample = DamageV1.Sample
  private typealias Book = DamageV1.Book
  private typealias Author = DamageV1.Author

  /// Runs fetches with predicates, sort orders and aggregates. Some of them are chosen at random.
  func query(_ context: ModelContext) {
    for predicate in samplePredicates.shuffled(using: &generator).prefix(6) {
      step("predicate \(predicate.0)") { try find(predicate.1, context) }
    }
    for order in sampleOrders.shuffled(using: &generator).prefix(3) {
      step("order \(order.0)") { _ = try context.fetch(FetchDescriptor<Sample>(sortBy: [order.1])) }
    }
    for predicate in relationshipPredicates.shuffled(using: &generator).prefix(3) {
      step("predicate \(predicate.0)") { _ = try context.fetch(FetchDescriptor<Author>(predicate: predicate.1)) }
    }
    step("vehicles") {
      let cars = #Predicate<DamageV1.Vehicle> { ($0 as? DamageV1.Car)?.doors == 4 || $0 is DamageV1.SportsCar }
      _ = try context.fetch(FetchDescriptor<DamageV1.Vehicle>(predicate: cars))
    }
    step("books") {
      let books = FetchDescriptor<Book>(sortBy: [
        SortDescriptor(\.author?.name), SortDescriptor(\.pages, order: .reverse),
      ])
      for book in try context.fetch(books) { _ = book.tags.map(\.word) }
    }
    step("racers") {
      let authors = #Predicate<Author> { $0.racer?.speed == 100 || $0.fleet.contains { $0.doors == 4 } }
      for author in try context.fetch(FetchDescriptor<Author>(predicate: authors)) {
        _ = (author.racer?.maker, author.racer?.place, author.fleet.map(\.seats))
      }
    }
    calculate(context)
  }

  private func find(_ predicate: Predicate<Sample>, _ context: ModelContext) throws {
    _ = try context.fetch(FetchDescriptor<Sample>(predicate: predicate))
    _ = try context.fetchCount(FetchDescriptor<Sample>(predicate: predicate))
    if chance(4) { _ = try FetchDescriptor<Sample>(predicate: predicate).explain(in: context) }
  }

  private func calculate(_ context: ModelContext) {
    step("sums") {
      _ = try context.sum(of: \Sample.int)
    }
    step("more sums") {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0: _ = try context.sum(of: \Sample.uint64)
      case 1: _ = try context.sum(of: \Sample.decimal)
      case 2: _ = try context.average(of: \Sample.int8)
      case 3: _ = try context.average(of: \Sample.decimalOrNil)
      case 4: _ = try context.sum(of: \Sample.place.corner.x)
      case 5: _ = (try context.max(of: \Sample.date), try context.min(of: \Sample.uint64))
      case 6: _ = (try context.max(of: \Sample.decimal), try context.min(of: \Sample.name))
      case 7: _ = try context.aggregate(Sample.self, .count, .sum(of: \.float), .average(of: \.int64), .max(of: \.uint))
      default: _ = try context.sum(of: \Sample.float)
      }
    }
    step("groups") {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: _ = try context.grouped(by: \Sample.mood, .count, .sum(of: \.int16))
      case 1: _ = try context.distinct(\Sample.place.city)
      case 2: _ = try context.grouped(by: \Sample.date, .count)
      default: _ = try context.distinct(\Sample.decimal)
      }
    }
    step("values") { _ = try context.fetchValues(FetchDescriptor<Sample>()) }
  }

  private var samplePredicates: [(String, Predicate<Sample>)] {
    numberPredicates + textPredicates + memberPredicates + collectionPredicates
  }

  private var numberPredicates: [(String, Predicate<Sample>)] {
    var all: [(String, Predicate<Sample>)] = []
    all.append(("int", #Predicate<Sample> { $0.int > 3 && $0.int < 20_000 }))
    all.append(("arithmetic", #Predicate<Sample> { $0.int8 + 1 > 3 || $0.int * 2 == 4 }))
    all.append(("division", #Predicate<Sample> { $0.int / 3 == 1 || $0.uint64 % 7 == 2 }))
    all.append(("widths", #Predicate<Sample> { $0.uint8 < 7 && $0.uint32 >= 0 && $0.uint64 > 5 }))
    all.append(("raw", #Predicate<Sample> { $0.mood.rawValue == "calm" && $0.grade.rawValue < 1 }))
    all.append(("decimal", #Predicate<Sample> { $0.decimal > 1 && $0.decimal * 2 < 5 }))
    all.append(("double", #Predicate<Sample> { $0.double / 2 > 1 || $0.float < 0 || $0.doubleOrNil == nil }))
    return all
  }

  private var textPredicates: [(String, Predicate<Sample>)] {
    let day = Date(timeIntervalSinceReferenceDate: 86_400)
    let calm = Mood.calm
    let content = Content.text("a")
    var all: [(String, Predicate<Sample>)] = []
    all.append(("name", #Predicate<Sample> { $0.name.localizedStandardContains("näm") }))
    all.append(("prefix", #Predicate<Sample> { $0.name.starts(with: "n") && $0.code.contains("1") }))
    all.append(("length", #Predicate<Sample> { $0.name.count > 2 }))
    all.append(("date", #Predicate<Sample> { $0.date > day }))
    all.append(("mood", #Predicate<Sample> { $0.mood == calm || $0.moodOrNil == calm }))
    all.append(("content", #Predicate<Sample> { $0.content == content }))
    all.append(("url", #Predicate<Sample> { $0.urlOrNil != nil }))
    all.append(("data", #Predicate<Sample> { $0.data.count > 1 || $0.dataOrNil == nil }))
    all.append(("body", #Predicate<Sample> { $0.body.contains("body") }))
    all.append(("nil", #Predicate<Sample> { ($0.intOrNil ?? 3) > 2 && ($0.textOrNil ?? "").isEmpty }))
    return all
  }

  private var memberPredicates: [(String, Predicate<Sample>)] {
    var all: [(String, Predicate<Sample>)] = []
    let (low, high): (Double, Double) = (1, 20)
    all.append(("box", #Predicate<Sample> { ($0.x > low && $0.x < high) && ($0.y > low && $0.y < high) }))
    all.append(("corner", #Predicate<Sample> { $0.place.corner.x > 1 && $0.place.corner.y < 0 }))
    all.append(("member", #Predicate<Sample> { $0.place.city == "city 1" || $0.placeOrNil?.city == "city 2" }))
    all.append(("other", #Predicate<Sample> { $0.place.other?.label == "a" }))
    return all
  }

  private var collectionPredicates: [(String, Predicate<Sample>)] {
    let calm = Mood.calm
    var all: [(String, Predicate<Sample>)] = []
    all.append(("list", #Predicate<Sample> { $0.list.contains(3) || $0.list.count > 5 }))
    all.append(("element", #Predicate<Sample> { $0.list.contains { $0 > 5 } }))
    all.append(("names", #Predicate<Sample> { $0.names.contains("a") && $0.names[0] == "a" }))
    all.append(("points", #Predicate<Sample> { $0.points.contains { $0.x > 1 } }))
    all.append(("counts", #Predicate<Sample> { $0.counts["a"] == 3 }))
    all.append(("keys", #Predicate<Sample> { $0.counts.count > 0 && $0.moods.contains(calm) }))
    all.append(("prices", #Predicate<Sample> { $0.prices.contains(0.3) }))
    return all
  }

  private var sampleOrders: [(String, SortDescriptor<Sample>)] {
    [
      ("int", SortDescriptor(\.int)), ("uint64", SortDescriptor(\.uint64, order: .reverse)),
      ("double", SortDescriptor(\.double)), ("name", SortDescriptor(\.name)), ("date", SortDescriptor(\.date)),
      ("localized", SortDescriptor(\.name, comparator: .localizedStandard)), ("decimal", SortDescriptor(\.decimal)),
      ("city", SortDescriptor(\.place.city)), ("optional", SortDescriptor(\.decimalOrNil)),
      ("corner", SortDescriptor(\.placeOrNil?.corner.x)), ("text", SortDescriptor(\.textOrNil)),
    ]
  }

  private var relationshipPredicates: [(String, Predicate<Author>)] {
    var all: [(String, Predicate<Author>)] = []
    all.append(("books", #Predicate<Author> { $0.books.contains { $0.pages > 5 } }))
    all.append(("all", #Predicate<Author> { $0.books.allSatisfy { $0.pages > 5 && $0.author?.age == 30 } }))
    all.append(("passport", #Predicate<Author> { $0.passport?.number == 4 }))
    all.append(("favourite", #Predicate<Author> { $0.favourite?.author?.name == "author 1" }))
    all.append(("tags", #Predicate<Author> { $0.books.contains { $0.tags.contains { $0.word == "tag 2" } } }))
    all.append(
      (
        "followers",
        #Predicate<Author> { $0.followers.count > 1 && $0.following.contains { $0.books.isEmpty == false } }
      ))
    all.append(("interests", #Predicate<Author> { $0.interests.contains { $0.fans.count > 1 } }))
    all.append(("filter", #Predicate<Author> { $0.books.filter { $0.title == "title 1" }.count > 0 }))
    return all
  }
}
