// The compiler accepts the names from SwiftData's first betas, and warns with the present names.
// expect: 'object(with:)' is deprecated: renamed to 'model(for:)'
// expect: 'registeredObject(for:)' is deprecated: renamed to 'registeredModel(for:)'
// expect: 'insert(object:)' is deprecated: renamed to 'insert(_:)'
// expect: 'delete(object:)' is deprecated: renamed to 'delete(_:)'
// expect: 'insertedObjects' is deprecated: renamed to 'insertedModelsArray'
// expect: 'changedObjects' is deprecated: renamed to 'changedModelsArray'
// expect: 'deletedObjects' is deprecated: renamed to 'deletedModelsArray'
// expect: 'insertedObjectsArray' is deprecated: renamed to 'insertedModelsArray'
// expect: 'changedObjectsArray' is deprecated: renamed to 'changedModelsArray'
// expect: 'deletedObjectsArray' is deprecated: renamed to 'deletedModelsArray'
// expect: 'objectID' is deprecated: renamed to 'persistentModelID'
// expect: 'context' is deprecated: renamed to 'modelContext'
// expect: 'executor' is deprecated: renamed to 'modelExecutor'
// expect: 'DefaultModelExecutor' is deprecated: renamed to 'DefaultSerialModelExecutor'
// expect: 'init(context:)' is deprecated: replaced by 'init(modelContext:)'
// expect: 'init(inMemory:)' is deprecated: replaced by 'init(isStoredInMemoryOnly:)'
// expect: 'init(for:inMemory:)' is deprecated: replaced by 'init(for:isStoredInMemoryOnly:)'
// expect: 'init(readOnly:)' is deprecated: say allowsSave, which is the opposite
// expect: is deprecated: say isStoredInMemoryOnly, and allowsSave, which is the opposite of readOnly
// expect: 'init(_:schema:readOnly:groupContainer:cloudKitDatabase:)' is deprecated: say allowsSave, which is the opposite
// expect: 'init(_:schema:url:readOnly:cloudKitDatabase:)' is deprecated: say allowsSave, which is the opposite
// expect: is deprecated: say groupContainer: .identifier(_:), and cloudKitDatabase: .private(_:)
// expect: 'init(_:schema:inMemory:readOnly:cloudKitContainerIdentifier:)' is deprecated: say cloudKitDatabase: .private(_:)
// expect: 'init(_:schema:url:readOnly:cloudKitContainerIdentifier:)' is deprecated: say cloudKitDatabase: .private(_:)
// expect: is deprecated: list the models without the array, or make a Schema of it
// expect: is deprecated: make a Schema of the array, and label the configurations
// expect: is deprecated: say for:, and list the models without the array
// expect: is deprecated: label the configurations: ModelContainer(for:configurations:)
// expect: 'destroy()' is deprecated: renamed to 'erase()'
// expect: is deprecated: list the options without the array, as in @Attribute(.unique)
// expect: is deprecated: label the rule, as in @Relationship(deleteRule: .cascade)
// expect: 'PersistedProperty()' is deprecated: leave it out: @Model adds what a property needs
// expect: 'getValue(for:)' is deprecated: renamed to 'getValue(forKey:)'
// expect: 'setValue(for:to:)' is deprecated: renamed to 'setValue(forKey:to:)'
// expect: 'DefaultBackingData(for:)' is deprecated: say Self.createBackingData()
// expect: 'index' is deprecated: say #Index<Model>([\.property]) in the model
// expect: 'transient' is deprecated: mark the property with @Transient; or say .ephemeral if its changes are to be noticed
// expect: 'transformable' is deprecated: say .codable; or .transformable(by:) with a transformer
// expect: deprecated default implementation is used to satisfy static property 'versionIdentifier' required by protocol
// expect: 'Attribute' is deprecated: say Schema.Attribute(.unique), without the array
// expect: 'backingData' is deprecated: renamed to 'persistentBackingData'
import SwiftData

@Model final class Trip {
  @Attribute([.unique], originalName: nil, hashModifier: nil) var name: String
  @Relationship(.cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(.cascade) var place: Place?
  @PersistedProperty var days: Int = 0

  init(name: String) { self.name = name }
}

@Model final class Stop {
  var trip: Trip?

  init() {}
}

@ModelActor actor Store {
  func use() throws {
    let executor = DefaultSerialModelExecutor(modelContext: executor.modelContext)
    executor.context.rollback()
    try context.save()
  }
}

func use(_ store: Store) -> any ModelExecutor { store.executor }

func use(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  let executor = DefaultModelExecutor(context: context)
  let trip = Trip(name: "a")
  context.insert(object: trip)
  context.delete(object: trip)
  let id = trip.objectID
  print(trip.context as Any, context.object(with: id), executor)
  let known: Trip? = context.registeredObject(for: id)
  print(known as Any, context.insertedObjects, context.changedObjects, context.deletedObjects)
  print(context.insertedObjectsArray, context.changedObjectsArray, context.deletedObjectsArray)
  _ = trip.backingData.getValue(for: \.name)
  trip.backingData.setValue(for: \.name, to: "b")
  trip.persistentBackingData = DefaultBackingData(for: Trip.self)
}

func useConfigurations(_ schema: Schema, _ url: URL) {
  _ = ModelConfiguration(for: Trip.self, inMemory: true)
  _ = ModelConfiguration("trips", schema: schema, inMemory: true, readOnly: false)
  _ = ModelConfiguration(readOnly: true)
  _ = ModelConfiguration(schema: schema, readOnly: true)
  _ = ModelConfiguration(url: url, readOnly: true)
  _ = ModelConfiguration(sharedAppContainerIdentifier: "group.trips")
  _ = ModelConfiguration(cloudKitContainerIdentifier: "cloud")
  _ = ModelConfiguration(url: url, cloudKitContainerIdentifier: "cloud")
}

func useContainers(_ schema: Schema) throws {
  let memory = ModelConfiguration(inMemory: true)
  _ = try ModelContainer(for: [Trip.self])
  _ = try ModelContainer(for: [Trip.self], memory)
  _ = try ModelContainer([Trip.self], memory)
  _ = try ModelContainer(for: Trip.self, memory)
  let container = try ModelContainer(for: schema, memory)
  try container.destroy()
}

@Model final class Place {
  @Attribute(.index) var name: String
  @Attribute(.transient) var visits: Int = 0
  @Attribute(.transformable) var tags: [String] = []
  @Attribute([.encrypt]) var secret: String = ""
  @Attribute([.externalStorage]) var picture: Data?

  init(name: String) { self.name = name }
}

enum PlacesV1: VersionedSchema {
  static var versionIdentifier: String? { "v1" }
  static var models: [any PersistentModel.Type] { [Place.self] }
}

let unique = Attribute([.unique])
