import SwiftData
import Testing

private enum Old: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Lamp.self] }
  @Model final class Lamp {
    var power: String = ""
    init() {}
  }
}

private enum New: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Lamp.self] }
  @Model final class Lamp {
    var power: Int = 0
    init() {}
  }
}

private struct Refusal: Error {}

private enum FailingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Old.self, toVersion: New.self, willMigrate: { _ in throw Refusal() }, didMigrate: nil)
    ]
  }
}

private enum EmptyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [] }
  static var stages: [MigrationStage] { [] }
}

/// Code that is written for Apple's framework handles the errors of a container's initialisers. These tests handle them
/// in the same way.
@Suite("Errors of opening a container")
struct OpeningErrorTests {
  /// Opens a container as an app does that creates a new store if the store cannot be opened.
  private func kind(of opening: () throws -> ModelContainer) -> String {
    do {
      _ = try opening()
      return "open"
    } catch SwiftDataError.loadIssueModelContainer {
      return "load issue"
    } catch {
      return "\(error)"
    }
  }

  /// The results of other ways in which public code compares an error with loadIssueModelContainer.
  private func answers(of error: any Error) -> [Bool] {
    var answers = [(error as? SwiftDataError) == .loadIssueModelContainer]
    if let error = error as? SwiftDataError {
      answers.append(error == .loadIssueModelContainer && SwiftDataError.loadIssueModelContainer == error)
      if case .loadIssueModelContainer = error { answers.append(true) } else { answers.append(false) }
      switch error {
      case .missingModelContext: answers.append(false)
      case .loadIssueModelContainer: answers.append(true)
      default: answers.append(false)
      }
      answers.append([.storeFull, .loadIssueModelContainer].contains(error))
    }
    return answers
  }

  private func expect(_ own: SwiftDataError, _ opening: () throws -> ModelContainer) {
    #expect(kind(of: opening) == "load issue")
    do {
      _ = try opening()
      Issue.record("opened in spite of \(own)")
    } catch let error as SwiftDataError {
      // The error equals its own constant, too, and has an explanation.
      #expect(error == own && own ~= error && error.description.contains("\(own)"))
      #expect(error.explanation?.isEmpty == false)
      #expect(answers(of: error) == [true, true, true, true, true])
      // The error equals both constants, so the hash values of all three must be equal.
      #expect(Set([error]).contains(own) && Set([error]).contains(.loadIssueModelContainer))
      for other in [SwiftDataError.storeBusy, .historyTokenExpired, .modelValidationFailure] {
        #expect(!(other ~= error) && error != other)
      }
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("errors of configurations match loadIssueModelContainer and their own constant")
  func configurations() throws {
    expect(.configurationFileNameTooLong) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(String(repeating: "n", count: 300)))
    }
    expect(.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration("a/b"))
    }
    expect(.duplicateConfiguration) {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      return try ModelContainer(for: Book.self, configurations: configuration, configuration)
    }
    expect(.configurationSchemaNotFoundInContainerSchema) {
      let configuration = ModelConfiguration(schema: Schema([UnlistedModel.self]), isStoredInMemoryOnly: true)
      return try ModelContainer(for: Book.self, configurations: configuration)
    }
  }

  @Test("errors of files match loadIssueModelContainer and their own constant")
  func files() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "letter.store")
    try Data(String(repeating: "Dear Ada, ", count: 1000).utf8).write(to: url)
    expect(.storeNotADatabase) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    }
    expect(.storeUnreachable) {
      let missing = folder.appending(path: "missing.store")
      return try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: missing, allowsSave: false))
    }
  }

  @Test("errors of schemas, migration plans and stages match loadIssueModelContainer and their own constant")
  func migrations() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = ModelConfiguration(url: folder.appending(path: "lamps.store"))
    do {
      let context = ModelContext(try ModelContainer(for: Old.Lamp.self, configurations: configuration))
      context.insert(Old.Lamp())
      try context.save()
    }
    expect(.unknownSchema) { try ModelContainer(for: New.Lamp.self, configurations: configuration) }
    expect(.migrationFailed) {
      try ModelContainer(for: New.Lamp.self, migrationPlan: FailingPlan.self, configurations: configuration)
    }
    expect(.invalidMigrationPlan) {
      try ModelContainer(for: New.Lamp.self, migrationPlan: EmptyPlan.self, configurations: configuration)
    }
  }

  @Test("errors thrown after opening do not match loadIssueModelContainer, and other constants do not match it either")
  func others() throws {
    let store = try TestStore(.file)
    try store.save("Emma")
    let url = try #require(store.container.configurations.first).url
    let container = try ModelContainer(
      for: store.schema, configurations: ModelConfiguration(schema: store.schema, url: url, allowsSave: false))
    let context = ModelContext(container)
    context.insert(Book("Ulysses"))
    let error = #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
    let saving = try #require(error)
    #expect(!(SwiftDataError.loadIssueModelContainer ~= saving))
    #expect(answers(of: saving) == [false, false, false, false, false])
    #expect(Set([saving, .storeReadOnly, .loadIssueModelContainer]).count == 2)
    #expect(!(SwiftDataError.loadIssueModelContainer ~= Refusal()))
    #expect(!(SwiftDataError.loadIssueModelContainer ~= SwiftDataError.storeCorrupt))
    #expect(SwiftDataError.loadIssueModelContainer ~= SwiftDataError.loadIssueModelContainer)
    #expect(!(SwiftDataError.storeCorrupt ~= SwiftDataError.loadIssueModelContainer))
  }
}
