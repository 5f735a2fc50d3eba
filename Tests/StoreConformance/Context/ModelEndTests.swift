import SwiftData
import Testing

/// Runs a closure when the model that holds this object is deallocated.
private final class Ending {
  var run: (() -> Void)?

  deinit { run?() }
}

@Model private final class Hub {
  var name: String
  @Relationship(inverse: \Spoke.hub) var spokes: [Spoke] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model private final class Spoke {
  var name: String
  var hub: Hub
  @Transient var end = Ending()

  init(_ name: String, hub: Hub) {
    self.name = name
    self.hub = hub
  }
}

/// A model with a to-one relationship that has no inverse.
@Model private final class Label {
  var name: String
  @Relationship(inverse: nil) var target: Hub?
  @Transient var end = Ending()

  init(_ name: String, target: Hub? = nil) {
    self.name = name
    self.target = target
  }
}

/// A model with a to-many relationship that has no inverse.
@Model private final class Rack {
  var name: String
  @Relationship(inverse: nil) var labels: [Label] = []

  init(_ name: String) {
    self.name = name
  }
}

@Suite("Models that run code in their deinitialisers")
struct ModelEndTests {
  private func open(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine, [Hub.self, Spoke.self, Label.self, Rack.self])
    return (store, store.context())
  }

  @Test(
    "a deinitialiser may change and relate other models while a save releases discarded objects",
    arguments: Engine.allCases)
  func orphan(_ engine: Engine) throws {
    let (store, context) = try open(engine)
    let hub = Hub("h")
    let other = Spoke("other", hub: hub)
    context.insert(other)
    try context.save()
    var runs = 0
    do {
      let spoke = Spoke("new", hub: hub)
      spoke.end.run = {
        runs += 1
        other.hub = hub
        other.name = "changed"
      }
      context.insert(spoke)
      hub.spokes.removeAll { $0 === spoke }
      context.delete(spoke)
    }
    // The insertion and save of this spoke make the context filter its lists of pending objects, which releases
    // discarded objects.
    context.insert(Spoke("third", hub: hub))
    try context.save()
    #expect(runs == 1)
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Spoke>()).map(\.name).sorted() == ["changed", "third"])
  }

  @Test(
    "a deinitialiser may insert and delete other models while the index of references is cleared",
    arguments: Engine.allCases)
  func index(_ engine: Engine) throws {
    let (store, context) = try open(engine)
    let hubs = (0..<7).map { Hub("\($0)") }
    hubs.forEach(context.insert)
    try context.save()
    context.insert(Label("kept", target: hubs[6]))
    var runs = 0
    do {
      let label = Label("taken back", target: hubs[6])
      label.end.run = {
        runs += 1
        context.delete(hubs[5])
        context.insert(Label("late", target: hubs[6]))
      }
      context.insert(label)
      // After a few deletions, the context builds an index of references. The index includes the references of new
      // models.
      for hub in hubs[0..<5] { context.delete(hub) }
      context.delete(label)
    }
    try context.save()
    #expect(runs == 1)
    #expect(context.insertedModelsArray.count == 1 && context.deletedModelsArray.count == 1)
    context.delete(hubs[6])
    try context.save()
    #expect(!context.hasChanges)
    let fresh = store.context()
    #expect(try fresh.fetch(FetchDescriptor<Label>()).map(\.name).sorted() == ["kept", "late"])
    #expect(try fresh.fetch(FetchDescriptor<Label>()).allSatisfy { $0.target == nil })
    #expect(try fresh.fetchCount(FetchDescriptor<Hub>()) == 0)
  }

  @Test(
    "a deinitialiser may insert and change other models while reverted objects are released",
    arguments: Engine.allCases, [false, true])
  func takenBack(_ engine: Engine, isRolledBack: Bool) throws {
    let (store, context) = try open(engine)
    let known = Label("known")
    context.insert(known)
    try context.save()
    var runs = 0
    do {
      let label = Label("taken back")
      label.end.run = {
        runs += 1
        known.name = "changed"
        context.insert(Label("late"))
      }
      context.insert(label)
      context.delete(label)
    }
    context.insert(Label("other"))
    if isRolledBack { context.rollback() } else { try context.save() }
    #expect(runs == 1)
    #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.count == 1)
    try context.save()
    #expect(!context.hasChanges)
    let names = try store.context().fetch(FetchDescriptor<Label>()).map(\.name).sorted()
    #expect(names == (isRolledBack ? ["changed", "late"] : ["changed", "late", "other"]))
  }

  @Test(
    "a deinitialiser may read a list while a save releases an object that was removed from the list",
    arguments: Engine.allCases)
  func removedMember(_ engine: Engine) throws {
    let (store, writer) = try open(engine)
    let written = Rack("rack")
    written.labels = [Label("first"), Label("second")]
    writer.insert(written)
    try writer.save()
    let context = store.context()
    let rack = try #require(try context.fetch(FetchDescriptor<Rack>()).first)
    var seen: [[String]] = []
    do {
      let label = try #require(rack.labels.first)
      label.end.run = { seen.append(rack.labels.map(\.name)) }
      rack.labels.removeFirst()
    }
    try context.save()
    #expect(seen == [["second"]])
    #expect(!context.hasChanges)
  }
}
