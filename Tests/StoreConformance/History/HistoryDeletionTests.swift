import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("Deletions in the history")
struct HistoryDeletionTests {
  private func store(_ engine: Engine) throws -> TestStore {
    try TestStore(engine, [Voyage.self, Leg.self, Guide.self], history: .standard)
  }

  private func changes(_ context: ModelContext) throws -> [HistoryChange] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
  }

  private func deletions<T: PersistentModel>(of type: T.Type, _ context: ModelContext) throws -> [DefaultHistoryDelete<
    T
  >] {
    try changes(context).compactMap {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<T> } else { nil }
    }
  }

  @Test("a deletion keeps the values of attributes with .preserveValueOnDeletion", arguments: Engine.allCases)
  func tombstones(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (oslo, rome) = (Voyage("Oslo", title: "North", number: 7), Voyage("Rome", number: 8))
    context.insert(oslo)
    context.insert(rome)
    try context.save()
    let identifier = oslo.persistentModelID
    context.delete(oslo)
    context.delete(rome)
    try context.save()
    let found = try deletions(of: Voyage.self, context)
    #expect(found.count == 2)
    let first = found.first { $0.changedPersistentIdentifier == identifier }?.tombstone
    #expect(first?[\.title] as? String == "North" && first?[\.number] as? Int == 7)
    #expect(first?[\.name] == nil && first?[\.price] == nil)
    #expect(first.map { Array($0).count } == 2)
    let second = found.first { $0.changedPersistentIdentifier != identifier }?.tombstone
    #expect(second?[\.title] == nil && second?[\.number] as? Int == 8)
    #expect(second.map { $0.map { "\($0)" } } == ["8"])
  }

  @Test("the history has the deletions of rows that delete rules cascade to", arguments: Engine.allCases)
  func cascade(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyage = Voyage("Oslo")
    context.insert(voyage)
    for place in ["Bergen", "Voss"] { context.insert(Leg(place, voyage: voyage)) }
    try context.save()
    context.delete(voyage)
    try context.save()
    #expect(Set(try deletions(of: Leg.self, context).map { $0.tombstone[\.place] as? String }) == ["Bergen", "Voss"])
    #expect(try deletions(of: Voyage.self, context).count == 1)
    #expect(try changes(context).count == 3)
  }

  @Test(
    "the history has rows that another context related meanwhile and that the database deletes",
    arguments: Engine.allCases)
  func foreignCascade(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let (context, other) = (store.context(), store.context())
    let voyage = Voyage("Oslo")
    context.insert(voyage)
    try context.save()
    #expect(voyage.legs.isEmpty)
    let same = try #require(try other.fetch(FetchDescriptor<Voyage>()).first)
    context.delete(voyage)
    other.insert(Leg("Bergen", voyage: same))
    try other.save()
    try context.save()
    #expect(try deletions(of: Leg.self, context).map { $0.tombstone[\.place] as? String } == ["Bergen"])
  }

  @Test(
    "the history has rows that are deleted without objects, and the rows of their cascades", arguments: Engine.allCases)
  func batches(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let writer = store.context()
    let guide = Guide("Ada")
    writer.insert(guide)
    for number in 0..<20 {
      let voyage = Voyage("\(number)", number: number)
      writer.insert(voyage)
      writer.insert(Leg("a\(number)", voyage: voyage))
    }
    try writer.save()
    let context = store.context()
    try context.delete(model: Voyage.self, where: #Predicate { $0.number < 15 })
    try context.save()
    #expect(Set(try deletions(of: Voyage.self, context).map { $0.tombstone[\.number] as? Int }) == Set(0..<15))
    #expect(
      Set(try deletions(of: Leg.self, context).map { $0.tombstone[\.place] as? String })
        == Set((0..<15).map { "a\($0)" }))
    #expect(try changes(context).count == 30)
  }

  @Test(
    "a deletion is recorded with updates of exactly the references that it sets to nil", arguments: Engine.allCases,
    [true, false])
  func references(_ engine: Engine, byBatch: Bool) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let writer = store.context()
    let (ada, eve, kim) = (Guide("Ada"), Guide("Eve"), Guide("Kim"))
    let legs = (0..<4).map { Leg("\($0)") }
    for model in [ada, eve, kim] + legs as [any PersistentModel] { writer.insert(model) }
    (legs[0].first, legs[0].second) = (ada, eve)
    (legs[1].first, legs[1].second) = (eve, ada)
    (legs[2].first, legs[2].second) = (ada, ada)
    legs[3].first = kim
    try writer.save()
    let context = store.context()
    if byBatch {
      try context.delete(model: Guide.self, where: #Predicate { $0.name == "Ada" })
    } else {
      context.delete(
        try #require(try context.fetch(FetchDescriptor<Guide>(predicate: #Predicate { $0.name == "Ada" })).first))
    }
    try context.save()
    let keys = legs.map { key($0.persistentModelID) }
    #expect(
      try changes(context).map(words).sorted() == [
        "-Guide \(key(ada.persistentModelID))", "~Leg \(keys[0]) first", "~Leg \(keys[1]) second",
        "~Leg \(keys[2]) first,second",
      ])
  }

  @Test("if two contexts delete a row, only the first context's deletion is recorded", arguments: Engine.sqlite)
  func twice(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let (context, other) = (store.context(), store.context())
    context.insert(Voyage("Oslo"))
    context.insert(Voyage("Rome"))
    try context.save()
    for voyage in try other.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)])).prefix(1) {
      other.delete(voyage)
    }
    for voyage in try context.fetch(FetchDescriptor<Voyage>()) { context.delete(voyage) }
    try other.save()
    try context.save()
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(all.flatMap(\.changes).filter { if case .delete = $0 { true } else { false } }.count == 2)
    #expect(all.last?.changes.count == 1)
  }

  @Test("a deletion keeps preserved values of every kind")
  func kinds() throws {
    let store = try TestStore(.file, [Kept.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let kept = Kept()
    context.insert(kept)
    try context.save()
    let expected = (
      kept.text, kept.date, kept.data, kept.decimal, kept.url, kept.identifier, kept.state, kept.place, kept.list,
      kept.real, kept.unsigned, kept.wide
    )
    context.delete(kept)
    try context.save()
    let tombstone = try #require(try deletions(of: Kept.self, context).first).tombstone
    #expect(tombstone[\.text] as? String == expected.0 && tombstone[\.date] as? Date == expected.1)
    #expect(tombstone[\.data] as? Data == expected.2 && tombstone[\.decimal] as? Decimal == expected.3)
    #expect(tombstone[\.url] as? URL == expected.4 && tombstone[\.identifier] as? UUID == expected.5)
    #expect(tombstone[\.state] as? KeptState == expected.6 && tombstone[\.place] as? KeptPlace == expected.7)
    #expect(tombstone[\.list] as? [Int] == expected.8 && tombstone[\.real] as? Double == expected.9)
    #expect(tombstone[\.unsigned] as? UInt64 == expected.10 && tombstone[\.wide] as? Int64 == expected.11)
    #expect(tombstone[\.missing] == nil)
    #expect(Array(tombstone).count == 12)
  }

  @Test("a deletion by another program also keeps the values of the row")
  func otherPrograms() throws {
    let store = try store(.file)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (oslo, rome) = (Voyage("Oslo", number: 1), Voyage("Rome", number: 2))
    context.insert(oslo)
    context.insert(rome)
    try context.save()
    context.delete(oslo)
    try context.save()
    let database = try RawDatabase(store.configuration.url.path)
    try database.run("DELETE FROM Voyage WHERE name = 'Rome'")
    #expect(
      try database.column("SELECT value FROM _osd_tombstones WHERE number = 3 AND \"column\" = 'number'") == ["2"])
    #expect(try database.problems().isEmpty)
  }
}

enum KeptState: String, Codable {
  case open, closed
}

struct KeptPlace: Codable, Equatable {
  var latitude: Double
  var name: String?
}

@Model
final class Kept {
  @Attribute(.preserveValueOnDeletion) var text: String = "a\u{308}b"
  @Attribute(.preserveValueOnDeletion) var date: Date = Date(timeIntervalSinceReferenceDate: 0.1)
  @Attribute(.preserveValueOnDeletion) var data: Data = Data([0, 1, 255])
  @Attribute(.preserveValueOnDeletion) var decimal: Decimal = Decimal(string: "12345678901234567890.5")!
  @Attribute(.preserveValueOnDeletion) var url: URL = URL(string: "https://example.org/a?b")!
  @Attribute(.preserveValueOnDeletion) var identifier: UUID = UUID()
  @Attribute(.preserveValueOnDeletion) var state: KeptState = KeptState.closed
  @Attribute(.preserveValueOnDeletion) var place: KeptPlace = KeptPlace(latitude: 59.9, name: nil)
  @Attribute(.preserveValueOnDeletion) var list: [Int] = [3, 1]
  @Attribute(.preserveValueOnDeletion) var real: Double = -0.1
  @Attribute(.preserveValueOnDeletion) var unsigned: UInt64 = .max
  @Attribute(.preserveValueOnDeletion) var wide: Int64 = .min
  @Attribute(.preserveValueOnDeletion) var missing: String?
  var other: String = "gone"

  init() {}
}
