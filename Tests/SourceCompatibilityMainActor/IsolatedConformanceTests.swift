import SwiftData
import Testing

@Suite("Conformances of values that are isolated to the main actor")
struct IsolatedConformanceTests {
  private static func container(_ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("Codable structs and enums can be properties of models that are used on the main actor") func onMainActor()
    throws
  {
    let container = try Self.container(Delivery.self)
    let delivery = Delivery(name: "a")
    delivery.former = Address(street: "former", floor: 2, lines: ["x"])
    delivery.stops = [Address(street: "b")]
    delivery.byName = ["c": Address(street: "c")]
    delivery.marks = [.bold]
    delivery.scans = [Address(street: "d")]
    container.mainContext.insert(delivery)
    try container.mainContext.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Delivery>()).first)
    #expect(found.address == Address(street: "a") && found.former == delivery.former)
    #expect(found.stops == delivery.stops && found.byName == delivery.byName && found.scans == delivery.scans)
    #expect(found.mark == .bold && found.lastMark == nil && found.marks == [.bold] && found.sign == .bold)
    #expect(found.origin == delivery.origin && found.plain == Plain(count: 1))
    let predicate = #Predicate<Delivery> { $0.plain.count == 1 && $0.name == "a" }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor(predicate: predicate)) == 1)
  }

  @Test("Values with an isolated conformance are written and read on the main actor") func boundOnMainActor() throws {
    let container = try Self.container(Bound.self, Labelled.self)
    let bound = try Self.insertBound(into: container)
    container.mainContext.insert(Labelled(name: "l"))
    try container.mainContext.save()
    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<Bound>()).first)
    #expect(found.shape == .circle(1) && found.shapes == [.none, .circle(2)] && found.parcel == bound.parcel)
    #expect(found.tag?.rawValue == "t" && found.level == .high)
    let labelled = try context.fetch(FetchDescriptor<Labelled>()).first
    #expect(labelled?.shape == .circle(2) && labelled?.level == .high)
    found.shapes = []
    found.level = .low
    try context.save()
    _ = try container.mainContext.fetch(FetchDescriptor<Bound>())
    #expect(bound.shapes.isEmpty && bound.level == .low && bound.shape == .circle(1))
  }

  private static func insertBound(into container: ModelContainer) throws -> Bound {
    let bound = Bound(name: "b")
    bound.shape = .circle(1)
    bound.shapes = [.none, .circle(2)]
    bound.tag = Tag(rawValue: "t")
    bound.level = .high
    if let tag = bound.tag {
      bound.parcel = Parcel(shape: .circle(3), mark: .bold, tag: tag, lastTag: tag, address: Address(street: "p"))
    }
    container.mainContext.insert(bound)
    try container.mainContext.save()
    return bound
  }

  @Test("Reading a value with an isolated conformance elsewhere throws an error that names the property and the type")
  func readElsewhere() async throws {
    let container = try Self.container(Bound.self, Labelled.self)
    _ = try Self.insertBound(into: container)
    container.mainContext.insert(Labelled(name: "l"))
    try container.mainContext.save()
    let errors = await Task.detached {
      [
        failure { _ = try ModelContext(container).fetch(FetchDescriptor<Bound>()) },
        failure { _ = try ModelContext(container).fetch(FetchDescriptor<Labelled>()) },
      ]
    }.value
    #expect(errors[0].hasPrefix("Bound.shape") && errors[0].contains("Shape conforms to Codable or RawRepresentable"))
    #expect(errors[1].hasPrefix("Labelled.shape") && errors[1].contains("nonisolated"))
    // After the errors, other calls on the container work.
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bound>()) == 1)
  }

  @Test("Writing a value with an isolated conformance in nonisolated code throws and writes nothing")
  func writeElsewhere() async throws {
    let container = try Self.container(Bound.self)
    let errors = await Task.detached {
      [
        failure { try insert(into: container) { $0.tag = tag } },
        failure { try insert(into: container) { $0.level = .low } },
        failure { try insert(into: container) { $0.shapes = [.none] } },
        failure { try insert(into: container) { $0.shape = Shape.none } },
      ]
    }.value
    #expect(errors.allSatisfy { $0.hasPrefix("Bound.") && $0.contains("this code does not run there") }, "\(errors)")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bound>()) == 0)
  }

  @Test("Structs of plain values are read, written and queried in nonisolated code")
  func plainElsewhere() async throws {
    let container = try Self.container(Delivered.self)
    container.mainContext.insert(Delivered(name: "a"))
    try container.mainContext.save()
    let found = try await Task.detached { try streets(in: container) }.value
    #expect(found == ["a b 3 true"])
  }

  @Test("A schema is the same in isolated and nonisolated code") func schemaElsewhere() async throws {
    let here = Schema([Delivery.self, Bound.self, Labelled.self])
    let there = await Task.detached { Schema([Delivery.self, Bound.self, Labelled.self]) }.value
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(here) == encoder.encode(there))
    let folder = FileManager.default.temporaryDirectory.appending(path: "isolated-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "a.store")
    try await Task.detached {
      let schema = Schema([Bound.self])
      _ = try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: url))
    }.value
    let schema = Schema([Bound.self])
    let container = try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: url))
    _ = try Self.insertBound(into: container)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Bound>()).first?.level == .high)
  }

  @Test("A default that needs the main actor throws in nonisolated code")
  func defaultElsewhere() async throws {
    let error = await Task.detached {
      failure {
        _ = try ModelContainer(
          for: Preset.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      }
    }.value
    #expect(error.contains("Preset.level") && error.contains("nonisolated"), "\(error)")
    let container = try Self.container(Preset.self)
    container.mainContext.insert(Preset())
    try container.mainContext.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Preset>()).first?.level == .high)
  }

  @Test("Subclasses of ValueTransformer and UndoManager compile, and transformers run on any thread")
  func subclasses() async throws {
    let container = try Self.container(Poster.self)
    let poster = Poster(title: "a")
    poster.note = "b"
    container.mainContext.insert(poster)
    try container.mainContext.save()
    let found = try await Task.detached {
      try ModelContext(container).fetch(FetchDescriptor<Poster>()).map { "\($0.title) \($0.note ?? "")" }
    }.value
    #expect(found == ["a b"])
    let manager = CountingUndoManager()
    manager.undo()
    #expect(manager.count == 1)
  }

  @Test("Schema versions, migration plans and model actors compile without further annotations") func declarations()
    async throws
  {
    let container = try ModelContainer(
      for: Schema(versionedSchema: DeliveryVersion.self), migrationPlan: DeliveryPlan.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    container.mainContext.insert(Delivered(name: "a"))
    try container.mainContext.save()
    #expect(try await DeliveryStore(modelContainer: container).names() == ["a"])
  }
}

nonisolated private var tag: Tag? { nil }

nonisolated private func failure(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing was thrown"
  } catch {
    return (error as? SwiftDataError).map { $0.explanation ?? "\($0)" } ?? "\(error)"
  }
}

nonisolated private func insert(into container: ModelContainer, _ change: (Bound) -> Void) throws {
  let context = ModelContext(container)
  let bound = Bound(name: "elsewhere")
  change(bound)
  context.insert(bound)
  try context.save()
}

nonisolated private func streets(in container: ModelContainer) throws -> [String] {
  let context = ModelContext(container)
  let delivery = try context.fetch(FetchDescriptor<Delivered>())[0]
  delivery.former = Address(street: "b", floor: 3)
  delivery.mark = .plain
  try context.save()
  let descriptor = FetchDescriptor<Delivered>(predicate: #Predicate { $0.plain.count == 1 })
  return try ModelContext(container).fetch(descriptor).map {
    "\($0.address.street) \($0.former?.street ?? "") \($0.former?.floor ?? 0) \($0.mark.rawValue == 0)"
  }
}
