// The examples in documentation comments on history, on opening a store and on migration stages that change objects.
import SwiftData

@Model final class Trip {
  @Attribute(.preserveValueOnDeletion) var name = ""
  init() {}
}

func reading(_ context: ModelContext, after token: DefaultHistoryToken) throws {
  let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
  for transaction in try context.fetchHistory(descriptor) { print(transaction.author ?? "", transaction.changes.count) }
}

func keeping(_ context: ModelContext, after token: DefaultHistoryToken) throws -> [Data] {
  let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
  let transactions = try context.fetchHistory(descriptor)
  return try transactions.map { transaction in
    let data = try JSONEncoder().encode(transaction.token)
    return data
  }
}

func deleted(_ change: HistoryChange) {
  if case .delete(let deletion as any HistoryDelete<Trip>) = change {
    print(deletion.tombstone[\.name] as? String ?? "")
  }
}

func hearing(_ container: ModelContainer) throws {
  let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["sync"], modelContainer: container)
  withObservationTracking {
    print(observer.eventCounter)
  } onChange: {
    print("sync has changed trips")
  }
}

@MainActor final class Synchronisation {
  let observer: HistoryObserver

  init(_ container: ModelContainer) throws {
    observer = try HistoryObserver(observedModels: [Trip.self], authors: ["app"], modelContainer: container)
  }

  func follow() {
    withObservationTracking {
      print("event", observer.eventCounter)
    } onChange: { [weak self] in
      Task { await self?.follow() }
    }
  }
}

// MARK: Openings

enum Failure: Error { case tryAgain }

func open() throws -> ModelContainer {
  do {
    return try ModelContainer(for: Trip.self)
  } catch SwiftDataError.storeBusy {
    throw Failure.tryAgain
  } catch SwiftDataError.loadIssueModelContainer {
    return try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
}

// MARK: Stages

enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Task.self] }
  @Model final class Task {
    var minutes = ""
    init() {}
  }
}

enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Task.self] }
  @Model final class Task {
    var minutes = 0
    init() {}
  }
}

let stage = MigrationStage.transform(fromVersion: V1.self, toVersion: V2.self) { old, new in
  for task in try old.fetch(FetchDescriptor<V1.Task>()) {
    (new.model(for: task.persistentModelID) as? V2.Task)?.minutes = Int(task.minutes) ?? 0
  }
}
