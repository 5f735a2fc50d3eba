import OpenSwiftData
import Testing

@MainActor
@Observable
private final class Selection {
  var journey: Model<Journey>?
}

@Suite("Observed references")
struct ObservedReferenceTests {
  @Test("can be held outside the actor of their models, and resolve in it", arguments: Engine.allCases)
  @MainActor func observed(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Journey.self])
    let database = ModelDatabase(modelContainer: store.container)
    let (selection, changed) = (Selection(), Flag())
    withObservationTracking {
      _ = selection.journey
    } onChange: {
      changed.raise()
    }
    selection.journey = try await database.insert { Journey("Oslo") }
    #expect(changed.isRaised)
    let journey = try #require(selection.journey)
    try await database.update(journey) { $0.name = "Rome" }
    #expect(try store.container.mainContext.get(journey).name == "Rome")
  }
}
