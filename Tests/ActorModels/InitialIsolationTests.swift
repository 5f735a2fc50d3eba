import SwiftData
import Testing

@Model
@StoreActor
final class Room {
  var name: String
  @Relationship(inverse: \Chair.room) var chairs: [Chair] = []
  @Relationship(inverse: \Plant.room) var plants: [Plant] = []

  init(_ name: String) { self.name = name }
}

@Model
@StoreActor
final class Chair {
  let number: Int
  var room: Room
  var color: String {
    didSet { repaints += 1 }
  }
  var repaints: Int = 0

  init(_ number: Int, in room: Room, color: String) throws {
    self.number = number
    self.room = room
    if color.isEmpty { throw Failure() }
    self.color = color
  }
}

/// Has a nonisolated initialiser, in which the context of the room may not be used.
@Model
@StoreActor
final class Plant {
  var name: String
  var room: Room

  nonisolated init(_ name: String, in room: Room) {
    self._name = name
    self._room = room
  }
}

@Model
actor Bench {
  var name: String
  @Relationship(inverse: Drawer.keyPath(\.bench)) var drawers: [Drawer] = []

  func add(_ label: String) -> [String] {
    _ = Drawer(label, in: self)
    return labels()
  }

  func labels() -> [String] { drawers.map { drawer in drawer.assumeIsolated { $0.label } } }
}

@Model
actor Drawer {
  var label: String
  var bench: Bench
  let number: Int

  init(_ label: String, in bench: Bench) {
    self.number = label.count
    self._bench = bench
    self._label = label
  }

  init(later label: String, in bench: Bench) async {
    self.number = 0
    self.bench = bench
    self.label = label
  }
}

/// Gets its initialiser from the macro, which sets the constant first.
@Model
actor Lamp {
  var watts: Int
  var bench: Bench?
  let code: String
}

@Suite("An initialiser of a model of an actor that sets a relationship to a model in a context")
struct InitialIsolationTests {
  @Test("inserts the object if the initialiser is isolated to the actor", arguments: Engine.allCases)
  @StoreActor func globalActor(_ engine: Engine) throws {
    let store = try TestStore(engine, [Room.self, Chair.self, Plant.self])
    let context = store.context()
    let room = Room("r")
    context.insert(room)
    try context.save()
    _ = try Chair(1, in: room, color: "red")
    #expect(throws: Failure.self) { try Chair(2, in: room, color: "") }
    #expect(room.chairs.map(\.number) == [1])
    room.chairs[0].color = "blue"
    #expect(room.chairs[0].repaints == 1)
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Room>())[0]
    #expect(found.chairs.map(\.color) == ["blue"])
    let loose = try Chair(3, in: Room("elsewhere"), color: "red")
    #expect(loose.modelContext == nil)
  }

  @Test(
    "does not insert the object if the initialiser is nonisolated; the program inserts the object later",
    arguments: Engine.allCases)
  @StoreActor func anywhere(_ engine: Engine) throws {
    let store = try TestStore(engine, [Room.self, Chair.self, Plant.self])
    let context = store.context()
    let room = Room("r")
    context.insert(room)
    try context.save()
    let plant = Plant("fern", in: room)
    #expect(plant.modelContext == nil)
    context.insert(plant)
    #expect(room.plants.map(\.name) == ["fern"])
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Room>())[0].plants.map(\.name) == ["fern"])
  }

  @Test(
    "inserts an actor if the initialiser runs on the context's executor; elsewhere the program inserts it later",
    arguments: Engine.allCases)
  func actors(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Bench.self, Drawer.self, Lamp.self])
    let shelf = Shelf(store.container)
    let bench = try await shelf.perform { context in
      let bench = Bench(name: "d")
      context.insert(bench)
      try context.save()
      _ = Drawer("a", in: bench)
      #expect(bench.assumeIsolated { $0.labels() } == ["a"])
      return bench
    }
    #expect(await bench.add("b") == ["a", "b"])
    // This code does not run on the executor of the bench's context, and may not use this context.
    let waiting = Drawer("c", in: bench)
    let late = await Drawer(later: "d", in: bench)
    _ = Lamp(watts: 40, bench: bench, code: "x")
    #expect(await bench.labels() == ["a", "b"])
    try await shelf.perform { context in
      context.insert(waiting)
      context.insert(late)
      try context.save()
    }
    #expect(await bench.labels() == ["a", "b", "c", "d"])
    let count = try await Shelf(store.container).perform { try $0.fetchCount(FetchDescriptor<Drawer>()) }
    #expect(count == 4)
  }
}
