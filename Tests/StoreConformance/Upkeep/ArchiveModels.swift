import SwiftData

// Models with every kind of property, relationship and index, for tests of checks, backups and copies.

enum ArchiveState: String, Codable, CaseIterable {
  case draft, final
}

enum ArchiveRank: Int, Codable {
  case low = 1
  case high = 2
}

struct ArchivePlace: Codable, Equatable {
  var city: String
  var floor: Int
}

@Model final class ArchiveShelf {
  #Index<ArchiveShelf>(.rtree([\.x, \.y]))
  @Attribute(.unique) var name: String
  var x: Double
  var y: Double
  @Relationship(inverse: \ArchiveItem.shelf) var items: [ArchiveItem] = []

  init(_ name: String, x: Double = 0, y: Double = 0) {
    self.name = name
    self.x = x
    self.y = y
  }
}

@Model class ArchiveItem {
  #Index<ArchiveItem>([\.title])
  var title: String
  var number = 0
  var small: Int8 = 0
  var large: UInt64 = 0
  var isLent = false
  var price: Decimal = 0
  var weight = 0.0
  var date: Date?
  var code: UUID
  var link: URL?
  var data: Data?
  var tags: [String] = []
  var state = ArchiveState.draft
  var rank: ArchiveRank?
  var place: ArchivePlace?
  @Attribute(.externalStorage) var scan: Data?
  var shelf: ArchiveShelf?
  var keeper: ArchiveKeeper
  @Relationship(inverse: \ArchiveTopic.items) var topics: [ArchiveTopic] = []

  init(_ title: String, keeper: ArchiveKeeper) {
    self.title = title
    self.keeper = keeper
    code = UUID()
  }
}

@Model final class ArchiveBook: ArchiveItem {
  var pages: Int

  init(_ title: String, keeper: ArchiveKeeper, pages: Int) {
    self.pages = pages
    super.init(title, keeper: keeper)
  }
}

@Model final class ArchiveTopic {
  var name: String
  var items: [ArchiveItem] = []

  init(_ name: String) { self.name = name }
}

@Model final class ArchiveKeeper {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \ArchiveItem.keeper) var items: [ArchiveItem] = []
  @Relationship(inverse: \ArchiveBadge.keeper) var badge: ArchiveBadge?

  init(_ name: String) { self.name = name }
}

@Model final class ArchiveBadge {
  var number: Int
  var keeper: ArchiveKeeper?

  init(_ number: Int) { self.number = number }
}

/// A store with the schema ``models`` and valid rows.
struct Archive {
  static let models: [any PersistentModel.Type] = [
    ArchiveShelf.self, ArchiveItem.self, ArchiveBook.self, ArchiveTopic.self, ArchiveKeeper.self, ArchiveBadge.self,
  ]

  let store: TestStore
  var container: ModelContainer { store.container }

  init(_ engine: Engine = .file, items: Int = 4) throws {
    store = try TestStore(engine, Self.models)
    let context = store.context()
    let keeper = ArchiveKeeper("Ada")
    keeper.badge = ArchiveBadge(1)
    let shelves = (1...2).map { ArchiveShelf("shelf \($0)", x: Double($0), y: -Double($0)) }
    let topics = [ArchiveTopic("letters"), ArchiveTopic("maps")]
    context.insert(keeper)
    for model in shelves { context.insert(model) }
    for model in topics { context.insert(model) }
    for number in 0..<items {
      let item =
        number % 2 == 0
        ? ArchiveItem("item \(number)", keeper: keeper) : ArchiveBook("book \(number)", keeper: keeper, pages: number)
      context.insert(item)
      Self.fill(item, number)
      item.shelf = shelves[number % 2]
      item.topics = number % 3 == 0 ? topics : [topics[0]]
    }
    try context.save()
  }

  private static func fill(_ item: ArchiveItem, _ number: Int) {
    item.number = number
    item.large = number == 1 ? .max : UInt64(number)
    item.price = Decimal(number) / 4
    item.weight = number == 2 ? .nan : Double(number) / 8
    item.date = Date(timeIntervalSinceReferenceDate: Double(number) * 1_000)
    item.link = URL(string: "https://example.org/\(number)?q=a%20b")
    item.data = Data([UInt8(truncatingIfNeeded: number)])
    item.tags = ["a", "b"]
    item.state = number == 0 ? .final : .draft
    item.rank = number == 0 ? nil : .high
    item.place = number == 0 ? nil : ArchivePlace(city: "Oslo", floor: number)
    if number < 3 { item.scan = Data(repeating: UInt8(truncatingIfNeeded: number), count: 200_000) }
  }

  var path: String { store.configuration.url.path(percentEncoded: false) }

  /// Executes SQL on the file, like another program that does not enforce foreign keys.
  func run(_ sql: String) throws { try store.raw.run(sql) }

  func column(_ sql: String) throws -> [String] { try store.raw.column(sql) }

  func number(_ sql: String) throws -> Int { try column(sql).first.flatMap { Int($0) } ?? 0 }

  static func progress() -> Progress { Progress(parent: nil) }

  func check(repairing: Bool = false) async throws -> [ModelContainer.StoreProblem] {
    try await container.check(repairing: repairing)
  }
}
