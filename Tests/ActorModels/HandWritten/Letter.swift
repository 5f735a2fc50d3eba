import PersistenceCore
import SwiftData

/// Holds a value outside the actor's isolation, so that the actor's nonisolated members can use the value.
final class Held<Value>: @unchecked Sendable {
  // Sendable without checks: only the jobs of one actor and of its context use the value, and all of them run on the
  // same executor.
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// The executor on which new letters run. Its context is the one into which they will be inserted.
enum Desk {
  private static let current = Lock<DefaultSerialModelExecutor?>(nil)

  static func use(_ executor: DefaultSerialModelExecutor) { current.withLock { $0 = executor } }

  static var executor: DefaultSerialModelExecutor {
    guard let executor = current.withLock({ $0 }) else { fatalError("a test of letters begins with Desk.use(_:)") }
    return executor
  }
}

/// An actor that conforms to `PersistentModel` and `ModelActor` without macros. Its values are in backing data, and it
/// runs on the executor of its context.
actor Letter: @preconcurrency PersistentModel, ModelActor {
  nonisolated let modelExecutor: any ModelExecutor = Desk.executor
  nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  private let backing: Held<any BackingData<Letter>>
  nonisolated var persistentBackingData: any BackingData<Letter> {
    get { backing.value }
    set { backing.value = newValue }
  }

  init(backingData: any BackingData<Letter>) { backing = Held(backingData) }

  init(number: UUID = UUID(), text: String, sent: Date = .distantPast, scan: Data? = nil) {
    backing = Held(Letter.createBackingData())
    self._number = number
    self._text = text
    self._sent = sent
    self._scan = scan
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "number", keypath: \Letter._number, defaultValue: nil, metadata: Schema.Attribute(.unique)),
      Schema.PropertyMetadata(name: "text", keypath: \Letter._text, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "sent", keypath: \Letter._sent, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(
        name: "scan", keypath: \Letter._scan, defaultValue: nil, metadata: Schema.Attribute(.externalStorage)),
    ]
  }

  fileprivate nonisolated var _number: UUID {
    get { persistentBackingData.getValue(forKey: \._number) }
    set { persistentBackingData.setValue(forKey: \._number, to: newValue) }
  }
  var number: UUID {
    get { _number }
    set { _number = newValue }
  }

  fileprivate nonisolated var _text: String {
    get { persistentBackingData.getValue(forKey: \._text) }
    set { persistentBackingData.setValue(forKey: \._text, to: newValue) }
  }
  var text: String {
    get { _text }
    set { _text = newValue }
  }

  fileprivate nonisolated var _sent: Date {
    get { persistentBackingData.getValue(forKey: \._sent) }
    set { persistentBackingData.setValue(forKey: \._sent, to: newValue) }
  }
  var sent: Date {
    get { _sent }
    set { _sent = newValue }
  }

  fileprivate nonisolated var _scan: Data? {
    get { persistentBackingData.getValue(forKey: \._scan) }
    set { persistentBackingData.setValue(forKey: \._scan, to: newValue) }
  }
  var scan: Data? {
    get { _scan }
    set { _scan = newValue }
  }

  func rewrite(_ text: String) { self.text = text }

  func rescan(_ scan: Data?) { self.scan = scan }

  func isIn(_ context: Held<ModelContext>) -> Bool { modelContext === context.value }

  static func withText(_ text: String) -> Predicate<Letter> { #Predicate { $0._text == text } }

  static var newestFirst: SortDescriptor<Letter> { SortDescriptor(\._sent, order: .reverse) }
}

/// The same model with `@Model`, which also works for a model actor; only the executor is hand-written.
@Model
actor Telegram: ModelActor {
  nonisolated var modelExecutor: any ModelExecutor { Desk.executor }
  nonisolated var modelContainer: ModelContainer { modelExecutor.modelContext.container }

  @Attribute(.unique) let number: Int
  var text: String
  @Attribute(.externalStorage) var scan: Data?

  init(_ number: Int, _ text: String) {
    self.number = number
    self._text = text
  }

  func rewrite(_ text: String) { self.text = text }

  func isIn(_ context: Held<ModelContext>) -> Bool { modelContext === context.value }
}

/// The actor that inserts and fetches letters and telegrams, on their executor.
actor PostOffice: ModelActor {
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let modelContainer: ModelContainer

  init(_ executor: DefaultSerialModelExecutor) {
    modelExecutor = executor
    modelContainer = executor.modelContext.container
  }

  nonisolated var context: Held<ModelContext> { Held(modelExecutor.modelContext) }

  func insert(_ model: some PersistentModel & Sendable) throws {
    modelContext.insert(model)
    try modelContext.save()
  }

  func save() throws { try modelContext.save() }

  func delete(_ model: some PersistentModel & Sendable) throws {
    modelContext.delete(model)
    try modelContext.save()
  }

  func fetch<T: PersistentModel & Sendable>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try modelContext.fetch(descriptor)
  }

  func textAtOnce(of letter: Letter) -> String { letter.assumeIsolated { $0.text } }
}
