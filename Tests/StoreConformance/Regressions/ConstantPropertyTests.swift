import SwiftData
import Testing

@Suite("Regressions: models with constants")
struct ConstantPropertyTests {
  private let models: [any PersistentModel.Type] = [Wearer.self, Medal.self]

  @Test("repeated fetches read a model with constants through a to-one relationship", arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let writer = store.context()
    let wearer = Wearer("Ada")
    writer.insert(wearer)
    wearer.medal = Medal(code: 5, text: "five")
    try writer.save()
    let reader = store.context()
    for _ in 0..<20 {
      let found = try #require(try reader.fetch(FetchDescriptor<Wearer>()).first)
      #expect(found.medal?.text == "five")
      #expect(found.medal?.code == 5)
      #expect(found.medal?.rank == .second)
    }
  }

  @Test("a placeholder for a deleted row has readable constants", arguments: Engine.allCases)
  func standIn(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let writer = store.context()
    let medal = Medal(code: 1, text: "gone")
    writer.insert(medal)
    try writer.save()
    let identifier = medal.persistentModelID
    writer.delete(medal)
    try writer.save()
    let reader = store.context()
    let standIn = try #require(reader.model(for: identifier) as? Medal)
    #expect(standIn.isDeleted)
    #expect(standIn.code == 0)
    #expect(standIn.text == "")
    #expect(standIn.rank == .first)
  }

  @Test("a partial fetch reads the constants too", arguments: Engine.allCases)
  func partialFetch(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let writer = store.context()
    writer.insert(Medal(code: 42, text: "text"))
    try writer.save()
    let reader = store.context()
    var descriptor = FetchDescriptor<Medal>()
    descriptor.propertiesToFetch = [\.text]
    let medal = try #require(try reader.fetch(descriptor).first)
    #expect(medal.code == 42)
    #expect(try reader.fetch(FetchDescriptor<Medal>()).first === medal)
    #expect(medal.code == 42)
  }
}
