// The present names of the declarations that SwiftData's first betas named differently. The compiler gives no message.
import SwiftData

@Model final class Trip {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(deleteRule: .cascade) var place: Place?
  var days: Int = 0

  init(name: String) { self.name = name }
}

@Model final class Stop {
  var trip: Trip?

  init() {}
}

@Model final class Place {
  #Index<Place>([\.name])
  var name: String
  @Transient var visits: Int = 0
  @Attribute(.codable) var tags: [String] = []
  @Attribute(.encrypt) var secret: String = ""
  @Attribute(.allowsCloudEncryption) var address: String = ""
  @Attribute(.externalStorage) var picture: Data?

  init(name: String) { self.name = name }
}

enum PlacesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Place.self] }
}

@ModelActor actor Store {
  func use() throws {
    let executor = DefaultSerialModelExecutor(modelContext: modelExecutor.modelContext)
    executor.modelContext.rollback()
    try modelContext.save()
  }
}

actor HandWrittenStore: ModelActor {
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let modelContainer: ModelContainer

  init(_ executor: any ModelExecutor) {
    modelExecutor = executor
    modelContainer = executor.modelContext.container
  }
}

final class Executor: SerialModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext

  init(_ modelContext: ModelContext) { self.modelContext = modelContext }

  func enqueue(_ job: consuming ExecutorJob) {}
}

final class Memo: PersistentModel {
  var persistentBackingData: any BackingData<Memo>

  init(backingData: any BackingData<Memo>) { persistentBackingData = backingData }

  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
}

func use(_ store: Store) -> any ModelExecutor { store.modelExecutor }

func use(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  let executor = DefaultSerialModelExecutor(modelContext: context)
  let trip = Trip(name: "a")
  context.insert(trip)
  context.delete(trip)
  // The function has no argument label, so its name alone is unambiguous when it is passed as a value.
  [trip].forEach(context.insert)
  [trip].forEach(context.delete)
  let id = trip.persistentModelID
  print(trip.modelContext as Any, context.model(for: id), executor)
  let known: Trip? = context.registeredModel(for: id)
  print(known as Any, context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray)
  _ = trip.persistentBackingData.getValue(forKey: \.name)
  trip.persistentBackingData.setValue(forKey: \.name, to: "b")
  trip.persistentBackingData = Trip.createBackingData()
}

func useConfigurations(_ schema: Schema, _ url: URL) {
  _ = ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true)
  _ = ModelConfiguration("trips", schema: schema, isStoredInMemoryOnly: true, allowsSave: true)
  _ = ModelConfiguration(allowsSave: false)
  _ = ModelConfiguration(schema: schema, allowsSave: false)
  _ = ModelConfiguration(url: url, allowsSave: false)
  _ = ModelConfiguration(groupContainer: .identifier("group.trips"))
  _ = ModelConfiguration(cloudKitDatabase: .private("cloud"))
  _ = ModelConfiguration(url: url, cloudKitDatabase: .private("cloud"))
  // These calls would be ambiguous if the deprecated initialisers were too similar to the current ones.
  _ = ModelConfiguration()
  _ = ModelConfiguration("trips")
  _ = ModelConfiguration(schema: schema)
  _ = ModelConfiguration("trips", schema: schema, url: url)
  _ = ModelConfiguration(nil, schema: schema, groupContainer: .automatic, cloudKitDatabase: .none)
}

func useContainers(_ schema: Schema) throws {
  let memory = ModelConfiguration(isStoredInMemoryOnly: true)
  _ = try ModelContainer(for: Trip.self)
  _ = try ModelContainer(for: Trip.self, Stop.self, configurations: memory)
  _ = try ModelContainer(for: Trip.self, configurations: memory)
  _ = try ModelContainer(for: schema, configurations: [memory])
  let container = try ModelContainer(for: schema, configurations: memory)
  try container.erase()
}

let unique = Schema.Attribute(.unique)
