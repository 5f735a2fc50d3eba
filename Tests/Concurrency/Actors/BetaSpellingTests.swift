import SwiftData
import Testing

// The test calls deprecated code through this protocol, because the compiler warns about direct calls.
private protocol Spelling {
  func check() throws
}

@available(*, deprecated)
@Model final class OldTrip {
  @Attribute([.unique], originalName: nil, hashModifier: nil) var name: String
  @Relationship(.cascade, inverse: \OldStop.trip) var stops: [OldStop] = []

  init(_ name: String) { self.name = name }
}

@available(*, deprecated)
@Model final class OldStop {
  var trip: OldTrip?

  init() {}
}

private struct Betas: Spelling {
  @available(*, deprecated)
  func check() throws {
    let container = try ModelContainer(for: [OldTrip.self, OldStop.self], ModelConfiguration(inMemory: true))
    let executor = DefaultModelExecutor(context: ModelContext(container))
    let context = executor.context
    let trip = OldTrip("Oslo")
    trip.stops = [OldStop(), OldStop()]
    context.insert(trip)
    #expect(context.insertedObjects.count == 3)
    try context.save()
    #expect(trip.context === context)
    #expect(context.object(with: trip.objectID) as? OldTrip === trip)
    let known: OldTrip? = context.registeredObject(for: trip.objectID)
    #expect(known === trip)
    trip.backingData.setValue(for: \.name, to: "Rome")
    #expect(trip.backingData.getValue(for: \.name) == "Rome")
    #expect(context.changedObjects.count == 1)
    context.delete(trip)
    #expect(context.deletedObjects.count == 3)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<OldStop>()) == 0)
    context.insert(OldTrip("Paris"))
    try context.save()
    try container.destroy()
    #expect(try context.fetchCount(FetchDescriptor<OldTrip>()) == 0)
  }
}

@Suite("Deprecated names of SwiftData's betas")
struct BetaSpellingTests {
  @Test("names of the betas have the same effect as the present names") func all() throws {
    let spelling: any Spelling = Betas()
    try spelling.check()
  }
}
