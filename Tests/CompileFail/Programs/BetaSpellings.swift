// The spellings of the first betas are understood, and say the new ones.
// expect: 'object(with:)' is deprecated: renamed to 'model(for:)'
// expect: 'registeredObject(for:)' is deprecated: renamed to 'registeredModel(for:)'
// expect: 'insertedObjects' is deprecated: renamed to 'insertedModelsArray'
// expect: 'objectID' is deprecated: renamed to 'persistentModelID'
// expect: 'context' is deprecated: renamed to 'modelContext'
// expect: 'executor' is deprecated: renamed to 'modelExecutor'
// expect: 'DefaultModelExecutor' is deprecated: renamed to 'DefaultSerialModelExecutor'
// expect: 'init(context:)' is deprecated: replaced by 'init(modelContext:)'
// expect: 'init(inMemory:)' is deprecated: replaced by 'init(isStoredInMemoryOnly:)'
// expect: 'init(readOnly:)' is deprecated: say allowsSave, which is the opposite
// expect: is deprecated: list the models without the array, or make a Schema of it
// expect: is deprecated: make a Schema of the array, and label the configurations
// expect: 'destroy()' is deprecated: renamed to 'erase()'
// expect: is deprecated: list the options without the array, as in @Attribute(.unique)
// expect: is deprecated: label the rule, as in @Relationship(deleteRule: .cascade)
// expect: 'getValue(for:)' is deprecated: renamed to 'getValue(forKey:)'
// expect: 'setValue(for:to:)' is deprecated: renamed to 'setValue(forKey:to:)'
// expect: 'index' is deprecated: say #Index<Model>([\.property]) in the model
// expect: 'transient' is deprecated: mark the property with @Transient; or say .ephemeral if its changes are to be noticed
// expect: deprecated default implementation is used to satisfy static property 'versionIdentifier' required by protocol
// expect: 'Attribute' is deprecated: say Schema.Attribute(.unique), without the array
// expect: 'backingData' is deprecated: renamed to 'persistentBackingData'
import SwiftData

@Model final class Trip {
  @Attribute([.unique], originalName: nil, hashModifier: nil) var name: String
  @Relationship(.cascade, inverse: \Stop.trip) var stops: [Stop] = []

  init(name: String) { self.name = name }
}

@Model final class Stop {
  var trip: Trip?

  init() {}
}

@ModelActor actor Store {
  func use() { executor.modelContext.rollback() }
}

func use(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  let executor = DefaultModelExecutor(context: context)
  let trip = Trip(name: "a")
  _ = trip.context
  _ = context.object(with: trip.objectID)
  let known: Trip? = context.registeredObject(for: trip.persistentModelID)
  trip.backingData.setValue(for: \.name, to: trip.persistentBackingData.getValue(for: \.name))
  print(executor, context.insertedObjects, known as Any)
  let memory = ModelConfiguration(inMemory: true)
  _ = ModelConfiguration(readOnly: true)
  _ = try ModelContainer(for: [Trip.self], memory)
  try ModelContainer(for: [Trip.self], configurations: memory).destroy()
}

@Model final class Place {
  @Attribute(.index) var name: String
  @Attribute(.transient) var visits: Int = 0

  init(name: String) { self.name = name }
}

enum PlacesV1: VersionedSchema {
  static var versionIdentifier: String? { "v1" }
  static var models: [any PersistentModel.Type] { [Place.self] }
}

let unique = Attribute([.unique])
