import OpenSwiftData
import Testing

// A program may have its own type `Model`, in addition to the library's macro and type of this name.

private struct Model<T: PersistentModel>: Sendable {
  let persistentIdentifier: PersistentIdentifier
}

extension Model {
  fileprivate init(_ model: T) { self.init(persistentIdentifier: model.persistentModelID) }
}

@Model private final class Entry {
  var date: Date

  init(date: Date) { self.date = date }
}

extension ModelContext {
  fileprivate func persistentModel<T>(withID id: PersistentIdentifier) throws -> T? where T: PersistentModel {
    if let registered: T = registeredModel(for: id) { return registered }
    if let other: T = model(for: id) as? T { return other }
    let descriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id }, fetchLimit: 1)
    return try fetch(descriptor).first
  }

  fileprivate func getOptional<T>(_ model: Model<T>) throws -> T? where T: PersistentModel {
    try persistentModel(withID: model.persistentIdentifier)
  }
}

@Suite("Types named Model and Database")
struct OwnReferenceTests {
  @Test("a program's own types take precedence over the library's types of the same name", arguments: Engine.allCases)
  func own(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Entry.self])
    let context = store.context()
    let entry = Entry(date: .distantPast)
    context.insert(entry)
    try context.save()
    let reference = Model(entry)
    try await ModelDatabase(modelContainer: store.container).withModelContext { context in
      guard let entry = try context.getOptional(reference) else { throw Failure() }
      entry.date = .distantFuture
      try context.save()
    }
    let found: OpenSwiftData.Model<Entry> = OpenSwiftData.Model(entry)
    #expect(try store.context().get(found).date == .distantFuture)
  }

  @Test("a program can use the library's Model and Database instead of its own types", arguments: Engine.allCases)
  func library(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Entry.self])
    let database = ModelDatabase(modelContainer: store.container)
    let reference = try await database.insert { Entry(date: .distantPast) }
    try await database.update(reference) { $0.date = .distantFuture }
    #expect(try await database.get(reference) { $0.date } == .distantFuture)
  }
}

@Suite("Fetch descriptors with a limit")
struct LimitedDescriptorTests {
  @Test("the initialiser of a fetch descriptor accepts the limit", arguments: Engine.allCases)
  func limit(_ engine: Engine) throws {
    let store = try TestStore(engine, [Entry.self])
    let context = store.context()
    for day in 0..<3 { context.insert(Entry(date: Date(timeIntervalSinceReferenceDate: Double(day)))) }
    try context.save()
    let newest = [SortDescriptor(\Entry.date, order: .reverse)]
    func days(_ limit: Int?) throws -> [Double] {
      let descriptor = FetchDescriptor<Entry>(sortBy: newest, fetchLimit: limit)
      #expect(descriptor.fetchLimit == limit && descriptor.fetchOffset == nil && descriptor.includePendingChanges)
      return try store.context().fetch(descriptor).map(\.date.timeIntervalSinceReferenceDate)
    }
    #expect(try days(1) == [2])
    #expect(try days(2) == [2, 1])
    #expect(try days(0) == [])
    #expect(try days(nil) == [2, 1, 0])
    let middle = Date(timeIntervalSinceReferenceDate: 1)
    let both = FetchDescriptor<Entry>(predicate: #Predicate { $0.date >= middle }, sortBy: newest, fetchLimit: 1)
    #expect(try store.context().fetch(both).map(\.date.timeIntervalSinceReferenceDate) == [2])
  }
}
