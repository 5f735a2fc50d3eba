import ConformanceSupport
import SwiftData
import Testing

@Suite("New objects whose initialiser relates them to an object of a context, which inserts them")
struct InitialShapeTests {
  /// Saves a home, and returns it with its context and the store.
  private func scene(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, home: Home) {
    let store = try TestStore(engine, Guests.models)
    let context = store.context()
    let home = Home("home")
    context.insert(home)
    try context.save()
    return (store, context, home)
  }

  private func fresh(_ store: TestStore) throws -> Home {
    try store.context().fetch(FetchDescriptor<Home>(predicate: #Predicate { $0.name == "home" }))[0]
  }

  @Test("the new object is inserted if its class has constants", arguments: Engine.allCases)
  func constants(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    _ = ConstantGuest("ann", home: home)
    #expect(home.constants.map(\.name) == ["ann"])
    _ = try ConstantGuest("bert", branching: home)
    #expect(home.constants.map(\.first) == [nil, 1])
    #expect(throws: Failure.self) { try ConstantGuest("", branching: home) }
    _ = ConstantGuest(2, chosen: home)
    _ = ConstantGuest(first: home)
    #expect(home.constants.map(\.code) == [3, 0, 2, 5])
    #expect(context.insertedModelsArray.count == 4)
    try context.save()
    let found = try fresh(store)
    #expect(found.constants.map(\.name) == ["ann", "bert", "FEW", "first"])
    #expect(found.constants.map(\.code) == [3, 0, 2, 5])
    #expect(found.constants.map(\.nickname) == [nil, "home", "n", nil])
  }

  @Test("the new object is inserted if its class has conditionally compiled members", arguments: Engine.allCases)
  func conditions(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    _ = ConditionalGuest("ann", home: home)
    #expect(home.conditional.map(\.name) == ["ann"])
    try context.save()
    #expect(try fresh(store).conditional.map(\.name) == ["ann"])
  }

  @Test(
    "the new object is inserted if its class lists a protocol in the position of a superclass",
    arguments: Engine.allCases)
  func protocols(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    _ = NamedGuest("ann", home: home)
    _ = NamedGuest("nobody", home: nil)
    _ = try NamedVisitor("bert", home: home, until: 4)
    #expect(throws: Failure.self) { try NamedVisitor("never", home: home, until: -4) }
    #expect(home.named.map(\.name) == ["ann", "bert"])
    #expect(context.insertedModelsArray.count == 2)
    try context.save()
    #expect(try fresh(store).named.map(\.name) == ["ann", "bert"])
    #expect((try fresh(store).named[1] as? NamedVisitor)?.until == 4)
  }

  @Test(
    "the new object is inserted if its class has more non-optional properties than its state has bits",
    arguments: Engine.allCases)
  func wide(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    _ = WideGuest(100, first: home)
    _ = WidestGuest(1000, first: home)
    for place in [0, 12, 23] {
      #expect(throws: Failure.self) { try WideGuest(0, last: home, failing: place) }
    }
    for place in [0, 35, 69] {
      #expect(throws: Failure.self) { try WidestGuest(0, last: home, failing: place) }
    }
    #expect(home.wide.map(\.value23) == [123])
    #expect(home.widest.map(\.value69) == [1069])
    _ = try WideGuest(200, last: home, failing: -1)
    _ = try WidestGuest(2000, last: home, failing: -1)
    #expect(home.wide.map(\.value0) == [100, 200])
    #expect(home.widest.map(\.value68) == [1068, 2068])
    try context.save()
    #expect(try fresh(store).wide.map(\.value23) == [123, 223])
    #expect(try fresh(store).widest.map(\.value69) == [1069, 2069])
    home.wide[0].value5 = -5
    home.widest[0].value66 = -66
    try context.save()
    #expect(try fresh(store).wide[0].value5 == -5)
    #expect(try fresh(store).widest[0].value66 == -66)
  }

  @Test(
    "the new object is inserted if its class is a subclass that declares the relationship",
    arguments: Engine.allCases)
  func subclasses(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    _ = Animal("ant")
    _ = Horse("hans", stable: home)
    _ = Horse("wild", stable: nil)
    _ = try Pony("pit", stable: home, rider: "ann")
    #expect(home.horses.map(\.name) == ["hans", "pit"])
    // The initialiser throws after all properties are set, so the object stays inserted.
    #expect(throws: Failure.self) { try Pony("pat", stable: home, rider: "") }
    #expect(home.horses.map(\.name) == ["hans", "pit", "pat"])
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    let found = try fresh(store)
    #expect(found.horses.map(\.name) == ["hans", "pit", "pat"])
    #expect(found.horses.map(\.speed) == [40, 40, 40])
    #expect((found.horses[1] as? Pony)?.rider == "ann")
    #expect(try store.context().fetchCount(FetchDescriptor<Animal>()) == 3)
  }

  @Test(
    "the new object is not inserted if the generated code cannot find out when all its properties are set",
    arguments: Engine.allCases)
  func late(_ engine: Engine) throws {
    let (store, context, home) = try scene(engine)
    let late = LateGuest("ann", home: home)
    #expect(!context.hasChanges)
    context.insert(late)
    #expect(home.late.map(\.code) == ["annann"])
    let branching = try BranchingGuest("a", home: home, moved: Home("other"), isFailing: false)
    #expect(throws: Failure.self) { try BranchingGuest("b", home: home, moved: home, isFailing: true) }
    #expect(throws: Failure.self) { try BranchingGuest("b", home: home, moved: nil, isFailing: true) }
    #expect(branching.home.branching.map(\.name) == ["a"])
    #expect(home.branching.isEmpty)
    context.insert(branching)
    try context.save()
    #expect(try fresh(store).late.map(\.name) == ["ann"])
    #expect(try fresh(store).branching.isEmpty)
    #expect(try store.context().fetch(FetchDescriptor<BranchingGuest>()).map(\.home.name) == ["other"])
  }

  @Test("the new object is not inserted if the related object belongs to no context")
  func alone() throws {
    let home = Home("nowhere")
    let guests: [any PersistentModel] = [
      ConstantGuest("a", home: home), ConditionalGuest("a", home: home), NamedGuest("a", home: home),
      WideGuest(1, first: home), WidestGuest(1, first: home), Horse("a", stable: home),
      try Pony("b", stable: home, rider: "c"), try NamedVisitor("b", home: home, until: 1),
    ]
    #expect(guests.allSatisfy { $0.modelContext == nil })
    let (store, context, _) = try scene(.memory)
    for guest in guests { context.insert(guest) }
    #expect(home.modelContext === context)
    #expect(home.horses.count == 2 && home.named.count == 2 && home.constants.count == 1 && home.widest.count == 1)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Home>()) == 2)
  }
}
