import SwiftData
import Testing

@Suite("Models of a module that is isolated to the main actor")
struct MainActorModelTests {
  private static func container() throws -> ModelContainer {
    try ModelContainer(for: Errand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("Models are used on the main actor without annotations") func onMainActor() throws {
    let list = ErrandList(try Self.container())
    try list.add("b")
    try list.add("a")
    list.errands[0].count += 1
    list.errands[0].place = Place(city: "c")
    #expect(list.errands.map(\.title) == ["a", "b"])
    #expect(list.errands[0].changes == 1)
    #expect(list.errands[0].steps.map(\.text) == ["first"] && !list.errands[0].isLong)
  }

  @Test("A subclass is used on the main actor, and in nonisolated code") func subclass() async throws {
    let container = try ModelContainer(
      for: Chore.self, Repair.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let repair = Repair(title: "a", tool: "saw", room: "attic")
    container.mainContext.insert(repair)
    try container.mainContext.save()
    repair.minutes += 5
    repair.tool = "drill"
    try container.mainContext.save()
    let found = try await Task.detached { try chores(in: container) }.value
    #expect(found == ["a 15 drill attic"])
  }

  @Test("Models are used in nonisolated code") func nonisolatedUse() async throws {
    let container = try Self.container()
    try await Task.detached { try store(in: container) }.value
    let found = try #require(try container.mainContext.fetch(FetchDescriptor<Errand>()).first)
    #expect(found.title == "away")
    #expect(found.priority == .high)
    #expect(found.tags == ["x"])
    #expect(found.steps.map(\.text) == ["s"])
  }

  @Test("Predicates and sorts can be created in nonisolated code") func nonisolatedQueries() async throws {
    let container = try Self.container()
    let found = try await Task.detached {
      try store(in: container)
      return try titles(in: container)
    }.value
    #expect(found == ["away"])
  }
}

nonisolated func store(in container: ModelContainer) throws {
  let context = ModelContext(container)
  let errand = Errand(title: "away")
  errand.priority = .high
  errand.tags.append("x")
  errand.count = 2
  errand.place = Place(city: "c")
  errand.steps = [Step(text: "s")]
  context.insert(errand)
  try context.save()
}

nonisolated func titles(in container: ModelContainer) throws -> [String] {
  let descriptor = FetchDescriptor<Errand>(
    predicate: #Predicate { $0.title == "away" && $0.count == 2 && $0.place?.city == "c" },
    sortBy: [SortDescriptor(\.title)])
  return try ModelContext(container).fetch(descriptor).map(\.title)
}

nonisolated func chores(in container: ModelContainer) throws -> [String] {
  try ModelContext(container).fetch(FetchDescriptor<Chore>(predicate: #Predicate { $0.minutes > 10 })).map { chore in
    "\(chore.title) \(chore.minutes) \((chore as? Repair)?.tool ?? "") \((chore as? Repair)?.room ?? "")"
  }
}
