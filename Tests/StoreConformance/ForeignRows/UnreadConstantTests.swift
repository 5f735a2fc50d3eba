import SwiftData
import Testing

@Suite("A stored value that a constant cannot hold")
struct UnreadConstantTests {
  private func store() throws -> TestStore {
    let store = try TestStore.ofSamples()
    let context = store.context()
    context.insert(Medal(code: 1, rank: .first, text: "a"))
    context.insert(Medal(code: 2, rank: .second, text: "b"))
    try context.save()
    return store
  }

  @Test("the value is listed, and the rest of the object and the other rows are readable")
  func fetch() throws {
    let store = try store()
    try store.write("UPDATE Medal SET code = 'x', rank = 'third' WHERE text = 'a'")
    let context = store.context()
    let medals = try context.fetch(FetchDescriptor<Medal>(sortBy: [SortDescriptor(\.text)]))
    #expect(medals.map(\.text) == ["a", "b"] && medals[1].code == 2 && medals[1].rank == .second)
    #expect(Set(context.unreadValues.compactMap(\.propertyName)) == ["code", "rank"])
    #expect(context.unreadErrors[0].contains("the column code has the text 'x', which is no Int"))
    medals[1].text = "changed"
    try context.save()
    _ = try context.all(Medal.self)
    #expect(context.unreadValues.count == 2, "a constant keeps what it was read as")
  }

  @Test("a save of the object throws once, and the value is never overwritten")
  func save() throws {
    let store = try store()
    try store.write("UPDATE Medal SET code = 'x' WHERE text = 'a'")
    let context = store.context()
    let medal = try #require(try context.all(Medal.self).first { $0.text == "a" })
    medal.text = "code \(medal.code)"
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect(error?.explanation?.contains("code could not be read") == true)
    try context.save()
    #expect(try store.raw.column("SELECT code FROM Medal WHERE text = 'code 0'") == ["x"])
    try store.write("UPDATE Medal SET code = 5 WHERE text = 'code 0'")
    let fresh = store.context()
    #expect(try fresh.all(Medal.self).first { $0.text == "code 0" }?.code == 5)
    #expect(fresh.unreadValues.isEmpty)
  }
}
