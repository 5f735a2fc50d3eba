import Foundation
import SwiftData

// MARK: 6 ModelContext

func contexts(_ context: ModelContext, _ container: ModelContainer, _ trip: Trip, _ identifier: PersistentIdentifier)
  throws
{
  let _: any Equatable.Type = ModelContext.self  // use: ModelContext: Equatable
  let _: any SendableMetatype.Type = ModelContext.self  // use: ModelContext: SendableMetatype
  let _: ModelContext = ModelContext(container)  // use: ModelContext.init(_:)
  let _: ModelContainer = context.container  // use: ModelContext.container
  context.undoManager = nil as UndoManager?  // use: ModelContext.undoManager
  context.autosaveEnabled = true  // use: ModelContext.autosaveEnabled
  context.author = "a" as String?  // use: ModelContext.author
  context.editingState = context.editingState as EditingState  // use: ModelContext.editingState
  let _: Bool = context.hasChanges  // use: ModelContext.hasChanges
  let _: [any PersistentModel] = context.insertedModelsArray  // use: ModelContext.insertedModelsArray
  let _: [any PersistentModel] = context.changedModelsArray  // use: ModelContext.changedModelsArray
  let _: [any PersistentModel] = context.deletedModelsArray  // use: ModelContext.deletedModelsArray
  let _: Bool = context == context  // use: ModelContext.==(_:_:)
  let _: any PersistentModel = context.model(for: identifier)  // use: ModelContext.model(for:)
  let _: Trip? = context.registeredModel(for: identifier)  // use: ModelContext.registeredModel(for:)
  context.insert(trip)  // use: ModelContext.insert(_:)
  context.delete(trip)  // use: ModelContext.delete(_:)
  context.rollback()  // use: ModelContext.rollback()
  context.processPendingChanges()  // use: ModelContext.processPendingChanges()
  try context.transaction(block: {})  // use: ModelContext.transaction(block:)
  try context.save()  // use: ModelContext.save()
  let _: String = context.debugDescription  // use: ModelContext.debugDescription
}

// use: ModelContext.delete(model:where:includeSubclasses:)
func deleteAll(_ context: ModelContext) throws {
  try context.delete(model: Trip.self, where: #Predicate { $0.days > 3 }, includeSubclasses: false)
}

func fetches(_ context: ModelContext, _ descriptor: FetchDescriptor<Trip>) throws {
  let _: [Trip] = try context.fetch(descriptor)  // use: ModelContext.fetch(_:)
  let _: Int = try context.fetchCount(descriptor)  // use: ModelContext.fetchCount(_:)
  let _: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)  // use: ModelContext.fetchIdentifiers(_:)
}

// use: ModelContext.fetch(_:batchSize:)
func batches(_ context: ModelContext, _ descriptor: FetchDescriptor<Trip>) throws -> FetchResultsCollection<Trip> {
  try context.fetch(descriptor, batchSize: 100)
}

// use: ModelContext.fetchIdentifiers(_:batchSize:)
func identifierBatches(
  _ context: ModelContext, _ descriptor: FetchDescriptor<Trip>
) throws -> FetchResultsCollection<PersistentIdentifier> {
  try context.fetchIdentifiers(descriptor, batchSize: 100)
}

// use: ModelContext.enumerate(_:batchSize:allowEscapingMutations:block:)
func each(_ context: ModelContext, _ descriptor: FetchDescriptor<Trip>) throws {
  try context.enumerate(descriptor, batchSize: 10, allowEscapingMutations: true, block: { $0.days += 1 })
}

func notifications() {
  let _: Notification.Name = ModelContext.willSave  // use: ModelContext.willSave
  let _: Notification.Name = ModelContext.didSave  // use: ModelContext.didSave
  // use: ModelContext.NotificationKey.queryGeneration
  let _: String = ModelContext.NotificationKey.queryGeneration.rawValue
  // use: ModelContext.NotificationKey.invalidatedAllIdentifiers
  let _: ModelContext.NotificationKey = .invalidatedAllIdentifiers
  let _: ModelContext.NotificationKey = .insertedIdentifiers  // use: ModelContext.NotificationKey.insertedIdentifiers
  let _: ModelContext.NotificationKey = .updatedIdentifiers  // use: ModelContext.NotificationKey.updatedIdentifiers
  let _: ModelContext.NotificationKey = .deletedIdentifiers  // use: ModelContext.NotificationKey.deletedIdentifiers
  let _: ModelContext.NotificationKey = .historyTokens  // use: ModelContext.NotificationKey.historyTokens
  // use: ModelContext.NotificationKey.init(rawValue:)
  let _ = ModelContext.NotificationKey(rawValue: "updatedIdentifiers")
}

// MARK: 6.1 FetchDescriptor, FetchResultsCollection

func descriptors(_ descriptor: inout FetchDescriptor<Trip>, _ predicate: Predicate<Trip>) {
  let _: any Sendable.Type = FetchDescriptor<Trip>.self  // use: FetchDescriptor: Sendable
  let _: any Equatable.Type = FetchDescriptor<Trip>.self  // use: FetchDescriptor: Equatable
  let _: Bool = descriptor == descriptor  // use: FetchDescriptor.==(_:_:)
  descriptor.predicate = predicate as Predicate<Trip>?  // use: FetchDescriptor.predicate
  descriptor.sortBy = [SortDescriptor<Trip>]()  // use: FetchDescriptor.sortBy
  descriptor.fetchLimit = 3 as Int?  // use: FetchDescriptor.fetchLimit
  descriptor.fetchOffset = 3 as Int?  // use: FetchDescriptor.fetchOffset
  descriptor.includePendingChanges = false  // use: FetchDescriptor.includePendingChanges
  descriptor.propertiesToFetch = [\.name] as [PartialKeyPath<Trip>]  // use: FetchDescriptor.propertiesToFetch
  descriptor.relationshipKeyPathsForPrefetching = [\.stops]  // use: FetchDescriptor.relationshipKeyPathsForPrefetching
}

// use: FetchDescriptor.init(predicate:sortBy:)
func descriptor() -> FetchDescriptor<Trip> {
  FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\.name)])
}

func results(_ results: FetchResultsCollection<Trip>) {
  let _: any RandomAccessCollection<Trip> = results  // use: FetchResultsCollection: RandomAccessCollection
  let _: Int.Type = FetchResultsCollection<Trip>.Index.self  // use: FetchResultsCollection.Index
  let _: Range<Int>.Type = FetchResultsCollection<Trip>.Indices.self  // use: FetchResultsCollection.Indices
  // use: FetchResultsCollection.makeIterator()
  let _: IndexingIterator<FetchResultsCollection<Trip>> = results.makeIterator()
  // use: FetchResultsCollection.SubSequence
  let _: Slice<FetchResultsCollection<Trip>>.Type = FetchResultsCollection<Trip>.SubSequence.self
  let _: Int = results.startIndex  // use: FetchResultsCollection.startIndex
  let _: Int = results.endIndex  // use: FetchResultsCollection.endIndex
  let _: Trip = results[0]  // use: FetchResultsCollection.subscript(_:)
}
