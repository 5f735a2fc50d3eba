import SwiftData
import Testing

/// An actor with a hand-written conformance, whose stored values are all in backing data.
actor Memo: @preconcurrency PersistentModel {
  nonisolated(unsafe) var persistentBackingData: any BackingData<Memo>
  nonisolated let executor: QueueExecutor

  init(backingData: any BackingData<Memo>) {
    persistentBackingData = backingData
    executor = MemoExecutor.shared
  }

  init(uniqueID: UUID, body: String, modifiedDate: Date, imageData: Data?) {
    persistentBackingData = Memo.createBackingData()
    executor = MemoExecutor.shared
    self._uniqueID = uniqueID
    self._body = body
    self._modifiedDate = modifiedDate
    self._imageData = imageData
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "uniqueID", keypath: \Memo._uniqueID, defaultValue: nil, metadata: Schema.Attribute(.unique)),
      Schema.PropertyMetadata(name: "body", keypath: \Memo._body, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "modifiedDate", keypath: \Memo._modifiedDate, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "imageData", keypath: \Memo._imageData, defaultValue: nil, metadata: nil),
    ]
  }

  fileprivate nonisolated var _uniqueID: UUID {
    get { getValue(forKey: \._uniqueID) }
    set { setValue(forKey: \._uniqueID, to: newValue) }
  }
  var uniqueID: UUID {
    get { _uniqueID }
    set { _uniqueID = newValue }
  }

  fileprivate nonisolated var _body: String {
    get { getValue(forKey: \._body) }
    set { setValue(forKey: \._body, to: newValue) }
  }
  var body: String {
    get { _body }
    set { _body = newValue }
  }

  fileprivate nonisolated var _modifiedDate: Date {
    get { getValue(forKey: \._modifiedDate) }
    set { setValue(forKey: \._modifiedDate, to: newValue) }
  }
  var modifiedDate: Date {
    get { _modifiedDate }
    set { _modifiedDate = newValue }
  }

  fileprivate nonisolated var _imageData: Data? {
    get { getValue(forKey: \._imageData) }
    set { setValue(forKey: \._imageData, to: newValue) }
  }
  var imageData: Data? {
    get { _imageData }
    set { _imageData = newValue }
  }

  func rewrite(_ body: String) { self.body = body }

  func isRunningWhereItSays() -> Bool { executor.isRunningHere }
}

enum MemoExecutor {
  static let shared = QueueExecutor()
}

/// The actor that owns the memos' context and runs on the same executor as the memos.
private actor MemoStore {
  private let context: ModelContext

  init(_ container: ModelContainer) {
    context = ModelContext(container)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { MemoExecutor.shared.asUnownedSerialExecutor() }

  func insert(_ memo: Memo) throws {
    context.insert(memo)
    try context.save()
  }

  func save() throws { try context.save() }

  func memos(_ descriptor: FetchDescriptor<Memo>) throws -> [Memo] { try context.fetch(descriptor) }
}

@Suite("Actors whose conformance is written by hand")
struct ManualActorTests {
  @Test(
    "an actor with values in backing data runs on its executor, and another context reads what it saved",
    arguments: Engine.allCases)
  func roundTrip(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Memo.self])
    let memos = MemoStore(store.container)
    let memo = Memo(uniqueID: UUID(), body: "body", modifiedDate: .distantPast, imageData: Data([1, 2]))
    try await memos.insert(memo)
    #expect(await memo.isRunningWhereItSays())
    await memo.rewrite("new")
    try await memos.save()

    let found = try #require(try await MemoStore(store.container).memos(FetchDescriptor()).first)
    #expect(await found.body == "new")
    #expect(await found.imageData == Data([1, 2]))
    #expect(await found.modifiedDate == .distantPast)
    #expect(await found.isRunningWhereItSays())
  }

  @Test("predicates and sort descriptors use nonisolated key paths", arguments: Engine.allCases)
  func queries(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Memo.self])
    let memos = MemoStore(store.container)
    for (index, body) in ["a", "b", "c"].enumerated() {
      let date = Date(timeIntervalSinceReferenceDate: Double(index))
      try await memos.insert(Memo(uniqueID: UUID(), body: body, modifiedDate: date, imageData: nil))
    }
    let descriptor = FetchDescriptor<Memo>(
      predicate: #Predicate { $0._body != "b" }, sortBy: [SortDescriptor(\._modifiedDate, order: .reverse)])
    var bodies: [String] = []
    for memo in try await memos.memos(descriptor) { bodies.append(await memo.body) }
    #expect(bodies == ["c", "a"])
  }
}
