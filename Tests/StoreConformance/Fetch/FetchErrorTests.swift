import SwiftData
import Testing

@Suite("Fetches that fail", .serialized)
struct FetchErrorTests {
  @Test(
    "fetching a model that is not in the container's schema throws an error that names the model",
    arguments: Engine.allCases)
  func unlistedModel(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<UnlistedModel>()) }
    #expect("\(try #require(error))".contains("UnlistedModel"))
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<UnlistedModel>()) }
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetchIdentifiers(FetchDescriptor<UnlistedModel>()) }
  }

  @Test("a context stays usable after a failed fetch", arguments: Engine.allCases)
  func afterwards(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Book("Emma"))
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<UnlistedModel>()) }
    try context.save()
    #expect(try context.titles() == ["Emma"])
  }

  @Test("a fetch with a negative limit or offset does not trap", arguments: Engine.allCases)
  func negative(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a", "b")
    for (limit, offset) in [(-1, 0), (0, -1), (Int.min, Int.min)] {
      var descriptor = FetchDescriptor<Book>()
      descriptor.fetchLimit = limit
      descriptor.fetchOffset = offset
      let count = (try? context.fetch(descriptor).count) ?? 0
      #expect(count <= 2)
    }
    #expect(try context.titles() == ["a", "b"])
  }
}
