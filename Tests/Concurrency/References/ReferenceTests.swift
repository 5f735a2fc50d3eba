import Foundation
import OpenSwiftData
import Testing

@Suite("Typed references")
struct ReferenceTests {
  @Test("a reference finds its model in any context", arguments: Engine.allCases)
  func finds(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let trip = Trip("Oslo")
    context.insert(trip)
    try context.save()
    let reference = Model(trip)
    #expect(try context.get(reference) === trip)
    let other = store.context()
    #expect(try other.get(reference).name == "Oslo")
    #expect(try other.getOptional(reference)?.name == "Oslo")
    let found: Trip? = try other.persistentModel(withID: reference.persistentIdentifier)
    #expect(try found === other.get(reference))
  }

  @Test("a reference to a deleted model throws, or returns nil", arguments: Engine.allCases)
  func gone(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let trip = Trip("Oslo")
    context.insert(trip)
    try context.save()
    let reference = Model(trip)
    context.delete(trip)
    try context.save()
    for context in [context, store.context()] {
      #expect(throws: SwiftDataError.modelNotFound) { try context.get(reference) }
      #expect(try context.getOptional(reference) == nil)
      let found: Trip? = try context.persistentModel(withID: reference.persistentIdentifier)
      #expect(found == nil)
    }
  }

  @Test("a reference to a model of another type throws, or returns nil", arguments: Engine.allCases)
  func otherType(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let context = store.context()
    let identifier = try context.trip("Oslo").persistentModelID
    let wrong = Model<Stop>(persistentIdentifier: identifier)
    #expect(throws: SwiftDataError.modelNotFound) { try context.get(wrong) }
    #expect(try context.getOptional(wrong) == nil)
  }

  @Test(
    "a reference that was created before the first save stays equal, and finds the model after the save",
    arguments: Engine.allCases)
  func beforeSaving(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let trip = Trip("Oslo")
    context.insert(trip)
    let early = Model(trip)
    #expect(early.isTemporary)
    #expect(try context.get(early) === trip)
    try context.save()
    #expect(!early.isTemporary)
    #expect(early == Model(trip))
    #expect(Set([early, Model(trip)]).count == 1)
    #expect(try store.context().get(early).name == "Oslo")
    #expect(early.id == trip.persistentModelID)
  }

  @Test("a reference has the JSON format of its identifier, and round-trips through it", arguments: Engine.allCases)
  func coding(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let trip = try store.context().trip("Oslo")
    let reference = Model(trip)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode([reference])
    #expect(data == (try encoder.encode([trip.persistentModelID])))
    let read = try JSONDecoder().decode([Model<Trip>].self, from: data)
    #expect(read == [reference])
    #expect(try store.context().get(read[0]).name == "Oslo")
  }

  @Test("a reference of one store does not resolve in another store")
  func otherStore() throws {
    let store = try TestStore(.file)
    try store.save("Oslo")
    let reference = Model(try store.context().trip("Oslo"))
    let other = try TestStore(.file)
    try other.save("Rome")
    #expect(try other.context().getOptional(reference) == nil)
  }
}
