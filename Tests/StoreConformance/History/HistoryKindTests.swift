import ConformanceSupport
import OpenSwiftData
import Testing

@Model
class Vessel {
  @Attribute(.preserveValueOnDeletion) var name: String
  var fleet: Fleet?

  init(_ name: String) { self.name = name }
}

@Model
final class Ferry: Vessel {
  @Attribute(.preserveValueOnDeletion) var cars: Int

  init(_ name: String, cars: Int) {
    self.cars = cars
    super.init(name)
  }
}

@Model
final class Fleet {
  var name: String
  @Relationship(inverse: \Vessel.fleet) var vessels: [Vessel] = []

  init(_ name: String) { self.name = name }
}

@Model
final class HiddenNote {
  @Attribute(.encrypt, .preserveValueOnDeletion) var text: String
  @Attribute(.externalStorage, .preserveValueOnDeletion) var scan: Data

  init(_ text: String) {
    self.text = text
    scan = Data(repeating: 7, count: 100_000)
  }
}

@Suite("The history of models of every kind")
struct HistoryKindTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private func last(_ context: ModelContext) throws -> [String] {
    try context.fetchHistory(Descriptor()).last.map(words) ?? []
  }

  @Test("rows of a hierarchy are listed under their own classes", arguments: Engine.allCases, [true, false])
  func hierarchy(_ engine: Engine, byBatch: Bool) throws {
    let store = try TestStore(engine, [Vessel.self, Ferry.self, Fleet.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (vessel, ferry, fleet) = (Vessel("Fram"), Ferry("Norled", cars: 40), Fleet("North"))
    for model in [vessel, ferry, fleet] as [any PersistentModel] { context.insert(model) }
    (vessel.fleet, ferry.fleet) = (fleet, fleet)
    try context.save()
    let keys = [vessel, ferry, fleet].map { (model: any PersistentModel) in key(model.persistentModelID) }
    #expect(try last(context) == ["+Ferry \(keys[1])", "+Fleet \(keys[2])", "+Vessel \(keys[0])"])
    ferry.cars = 50
    ferry.name = "Fjord1"
    try context.save()
    #expect(try last(context) == ["~Ferry \(keys[1]) cars,name"])
    let other = store.context()
    if byBatch {
      try other.delete(model: Fleet.self)
    } else {
      try other.fetch(FetchDescriptor<Fleet>()).forEach(other.delete)
    }
    try other.save()
    #expect(
      try last(other) == ["-Fleet \(keys[2])", "~Ferry \(keys[1]) fleet", "~Vessel \(keys[0]) fleet"])
    if byBatch {
      try other.delete(model: Vessel.self)
    } else {
      try other.fetch(FetchDescriptor<Vessel>()).forEach(other.delete)
    }
    try other.save()
    #expect(try last(other) == ["-Ferry \(keys[1])", "-Vessel \(keys[0])"])
    let deletions = try other.fetchHistory(Descriptor()).last?.changes ?? []
    let tombstones = deletions.compactMap { change -> HistoryTombstone<Ferry>? in
      if case .delete(let deletion) = change { (deletion as? any HistoryDelete<Ferry>)?.tombstone } else { nil }
    }
    #expect(tombstones.count == 1)
    #expect(tombstones.first?[\.name] as? String == "Fjord1" && tombstones.first?[\.cars] as? Int == 50)
  }

  @Test("the history keeps encrypted values encrypted, and keeps no values that are stored in files")
  func outOfRow() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = ModelConfiguration(
      schema: Schema([HiddenNote.self]), url: folder.appending(path: "s.store"),
      encryptionKey: ModelConfiguration.EncryptionKey())
    configuration.history = .standard
    let container = try ModelContainer(for: Schema([HiddenNote.self]), configurations: [configuration])
    let context = ModelContext(container)
    let secret = HiddenNote("swordfish")
    context.insert(secret)
    try context.save()
    context.delete(secret)
    try context.save()
    guard case .delete(let some) = try context.fetchHistory(Descriptor()).last?.changes.first,
      let deletion = some as? any HistoryDelete<HiddenNote>
    else {
      Issue.record("no deletion")
      return
    }
    #expect(deletion.tombstone[\.text] as? String == "swordfish")
    #expect(deletion.tombstone[\.scan] == nil)
    let stored = try RawDatabase(configuration.url.path).column("SELECT typeof(value) FROM _osd_tombstones")
    #expect(stored == ["blob"])
  }

  @Test("the changed properties of a model whose last properties share a mask bit are listed")
  func broad() throws {
    let store = try TestStore(.file, [WideSheet.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let model = WideSheet()
    context.insert(model)
    try context.save()
    model.a62 = 1
    model.a64 = 1
    try context.save()
    #expect(try last(context) == ["~WideSheet \(key(model.persistentModelID)) a62,a64"])
    model.a64 = 1
    model.a65 = 2
    try context.save()
    #expect(try last(context) == ["~WideSheet \(key(model.persistentModelID)) a65"])
  }

  @Test("each save of concurrent contexts is listed once")
  func concurrent() throws {
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
    let containers = [store.container, other, store.container, other]
    DispatchQueue.concurrentPerform(iterations: containers.count) { index in
      let context = ModelContext(containers[index])
      context.author = "\(index)"
      for number in 0..<50 {
        context.insert(Guide("\(index) \(number)"))
        do { try context.save() } catch { Issue.record("\(error)") }
      }
    }
    let transactions = try store.context().fetchHistory(Descriptor())
    #expect(transactions.map(\.transactionIdentifier) == Array(1...200))
    let byAuthor = Dictionary(grouping: transactions, by: \.author)
    #expect(byAuthor.count == 4 && byAuthor.values.allSatisfy { $0.count == 50 })
    #expect(Set(transactions.flatMap(\.changes).map(\.changedPersistentIdentifier)).count == 200)
    #expect(transactions.allSatisfy { !$0.followsGap })
  }
}

@Model
final class WideSheet {
  var a00 = 0
  var a01 = 0
  var a02 = 0
  var a03 = 0
  var a04 = 0
  var a05 = 0
  var a06 = 0
  var a07 = 0
  var a08 = 0
  var a09 = 0
  var a10 = 0
  var a11 = 0
  var a12 = 0
  var a13 = 0
  var a14 = 0
  var a15 = 0
  var a16 = 0
  var a17 = 0
  var a18 = 0
  var a19 = 0
  var a20 = 0
  var a21 = 0
  var a22 = 0
  var a23 = 0
  var a24 = 0
  var a25 = 0
  var a26 = 0
  var a27 = 0
  var a28 = 0
  var a29 = 0
  var a30 = 0
  var a31 = 0
  var a32 = 0
  var a33 = 0
  var a34 = 0
  var a35 = 0
  var a36 = 0
  var a37 = 0
  var a38 = 0
  var a39 = 0
  var a40 = 0
  var a41 = 0
  var a42 = 0
  var a43 = 0
  var a44 = 0
  var a45 = 0
  var a46 = 0
  var a47 = 0
  var a48 = 0
  var a49 = 0
  var a50 = 0
  var a51 = 0
  var a52 = 0
  var a53 = 0
  var a54 = 0
  var a55 = 0
  var a56 = 0
  var a57 = 0
  var a58 = 0
  var a59 = 0
  var a60 = 0
  var a61 = 0
  var a62 = 0
  var a63 = 0
  var a64 = 0
  var a65 = 0
  var a66 = 0

  init() {}
}
