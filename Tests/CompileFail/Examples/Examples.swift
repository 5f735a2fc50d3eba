// The examples in documentation comments on fetches, inside functions and types that declare the names they use.
import OpenSwiftData

@Model final class Trip {
  var name: String
  var days = 0
  var end = Date.now
  init(name: String) { self.name = name }
}

@Model @ModelValue final class Book {
  var title: String
  var pages = 0
  var price = 0
  init(title: String) { self.title = title }
}

func values(_ context: ModelContext, _ database: ModelDatabase) async throws {
  let cheap = try await database.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.price < 10 }))
  print(cheap)
}

func json(_ context: ModelContext) throws -> Data {
  let books = try context.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 300 }))
  let json = try JSONEncoder().encode(books)
  return json
}

func descriptors(_ context: ModelContext) throws {
  var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\.name)])
  descriptor.fetchLimit = 20
  print(try descriptor.explain(in: context))
}

func all(_ context: ModelContext) throws -> [Trip] {
  var conditions = [#Predicate<Trip> { $0.days > 5 }]
  for word in ["sea", "sun"] { conditions.append(#Predicate { $0.name.contains(word) }) }
  let trips = try context.fetch(FetchDescriptor(predicate: .all(conditions)))
  return trips
}

func any(_ context: ModelContext) throws -> [Trip] {
  let words = ["sea", "sun", "snow"]
  let named = Predicate<Trip>.any(words.map { word in #Predicate { $0.name.contains(word) } })
  let trips = try context.fetch(FetchDescriptor(predicate: named))
  return trips
}

func negated(_ context: ModelContext) throws -> [Trip] {
  let isLong = #Predicate<Trip> { $0.days > 5 }
  let short = try context.fetch(FetchDescriptor(predicate: isLong.negated))
  return short
}

func evaluated(_ isLong: Predicate<Trip>, _ isDue: Predicate<Trip>) -> Predicate<Trip> {
  let both = Predicate<Trip>.all([isLong, isDue])
  return both
}

func undone(_ context: ModelContext, _ trip: Trip) {
  context.undoManager = UndoManager()
  trip.name = "Lisbon"
  context.undoManager?.undo()  // the former name again
}

struct Color {
  var data: Data
  init?(_ data: Data) { self.data = data }
}

final class ColorTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Color)?.data }
  override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap(Color.init) }
}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [] }
  static var stages: [MigrationStage] { [] }
}

func versions() throws {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "TripsPlan")
  try TripsPlan.checkForDrift(in: folder)
}
