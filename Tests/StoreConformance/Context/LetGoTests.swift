import SwiftData
import Synchronization
import Testing

/// A context must not keep data about objects that the program has released.
@Suite("Release of objects by a context", .serialized)
struct LetGoTests {
  fileprivate static let balloons = Atomic<Int>(0)
  fileprivate static let kites = Atomic<Int>(0)

  @Test("objects that are inserted and deleted without a save are released", arguments: Engine.allCases)
  func comeAndGo(_ engine: Engine) throws {
    let store = try TestStore(engine, [Balloon.self])
    let context = store.context()
    for _ in 0..<2_000 {
      let balloon = Balloon()
      context.insert(balloon)
      context.delete(balloon)
    }
    #expect(!context.hasChanges)
    #expect(Self.balloons.load(ordering: .relaxed) <= 32)
    let kept = Balloon()
    context.insert(kept)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Balloon>()).first === kept)
  }

  @Test("an object that is deleted and inserted repeatedly is saved once", arguments: Engine.allCases)
  func takenBack(_ engine: Engine) throws {
    let store = try TestStore(engine, [Balloon.self])
    let context = store.context()
    let balloons = (0..<3).map { _ in Balloon() }
    balloons.forEach(context.insert)
    try context.save()
    balloons[1].colour = "green"
    context.delete(balloons[2])
    for number in 0..<100 {
      balloons[0].colour = "\(number)"
      context.delete(balloons[0])
      #expect(context.deletedModelsArray.count == 2 && context.changedModelsArray.count == 1)
      context.insert(balloons[0])
      #expect(context.deletedModelsArray.count == 1 && context.changedModelsArray.count == 2)
    }
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Balloon>()).map(\.colour).sorted() == ["99", "green"])
  }

  @Test(
    "hand-written models are released once there are many, except models in use", arguments: Engine.allCases)
  func handWritten(_ engine: Engine) throws {
    let store = try TestStore(engine, [Kite.self])
    var context: ModelContext? = store.context()
    let writer = store.context()
    for number in 0..<10_000 { writer.insert(Kite("\(number)")) }
    try writer.save()
    let own = Self.kites.load(ordering: .relaxed)
    let held = try #require(try context?.fetch(kite("17")).first)
    let data = try #require(try context?.fetch(kite("18")).first).persistentBackingData
    try #require(try context?.fetch(kite("19")).first).name = "changed"
    for start in stride(from: 0, to: 10_000, by: 100) {
      let names = (start..<start + 100).map { "\($0)" }
      _ = try context?.fetch(FetchDescriptor<Kite>(predicate: #Predicate { names.contains($0.name) }))
    }
    // The context releases unused models when it has more than 1,024 models and twice as many as after the last
    // release.
    #expect(Self.kites.load(ordering: .relaxed) - own <= 1_400)
    #expect(try context?.fetch(kite("17")).first === held)
    data.setValue(forKey: \.name, to: "set")
    try context?.save()
    #expect(try store.context().fetchCount(kite("set")) == 1)
    #expect(try store.context().fetchCount(kite("changed")) == 1)
    context = nil
    #expect(held.name == "17")
  }

  private func kite(_ name: String) -> FetchDescriptor<Kite> {
    FetchDescriptor(predicate: #Predicate { $0.name == name })
  }
}

@Model
final class Balloon {
  var colour = "red"

  init() {
    LetGoTests.balloons.add(1, ordering: .relaxed)
  }

  deinit { LetGoTests.balloons.subtract(1, ordering: .relaxed) }
}

/// A model that is written without the `@Model` macro.
final class Kite: PersistentModel {
  var persistentBackingData: any BackingData<Kite>

  init(backingData: any BackingData<Kite>) {
    persistentBackingData = backingData
    LetGoTests.kites.add(1, ordering: .relaxed)
  }

  init(_ name: String) {
    persistentBackingData = Kite.createBackingData()
    LetGoTests.kites.add(1, ordering: .relaxed)
    self.name = name
  }

  deinit { LetGoTests.kites.subtract(1, ordering: .relaxed) }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "name", keypath: \Kite.name, defaultValue: nil, metadata: nil)]
  }
}
