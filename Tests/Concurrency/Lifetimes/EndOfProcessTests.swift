import SharedStoreWorkload
import SwiftData
import Testing

/// Runs programs whose `main` function returns. After the return, no code runs on the main actor.
@Suite("Programs that end with unsaved changes")
struct EndOfProcessTests {
  private func entries(_ folder: SharedFolder) throws -> Int {
    try ModelContext(SharedStore.open(folder.path)).fetchCount(FetchDescriptor<Entry>())
  }

  private func lost(_ process: OtherProcess) -> [String] { process.lines.filter { $0.contains("are lost") } }

  @Test("the log reports the lost changes of the main context, and a remedy")
  func forgotten() async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run("forget", folder.path, "writer", "3")
    #expect(lost(process).count == 1)
    #expect(lost(process).first?.contains("3 inserted, 0 changed, 0 deleted") == true)
    #expect(lost(process).first?.contains("close()") == true)
    #expect(try entries(folder) == 0)
  }

  @Test("the log reports lost changes if the last reference to the container is released on another thread")
  func elsewhere() async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run("drop", folder.path, "writer", "3")
    #expect(lost(process).count == 1)
    #expect(process.lines.contains("dropped"))
    #expect(try entries(folder) == 0)
  }

  @Test(
    "the log reports the lost changes of a context with autosave that exists until the process ends",
    arguments: [
      ("forget-actor", "before a model actor's context could", true),
      ("forget-context", "before a context could", false),
      ("again-context", "before a context could", false),
    ])
  func living(_ command: String, _ words: String, closingSaves: Bool) async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run(command, folder.path, "writer", "3")
    #expect(lost(process).count == 1)
    #expect(lost(process).first?.contains(words) == true)
    #expect(lost(process).first?.contains("save()") == true)
    // The library cannot save a context that the program created itself, because it does not know the thread or
    // executor of the context.
    #expect(lost(process).first?.contains("close()") == closingSaves)
    #expect(try entries(folder) == 0)
  }

  @Test("the log does not mention changes that were rolled back", arguments: ["rollback-context", "delete-context"])
  func takenBack(_ command: String) async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run(command, folder.path, "writer", "3")
    #expect(lost(process) == [])
    #expect(try entries(folder) == 0)
  }

  @Test("the log does not mention an actor without unsaved changes")
  func savedActor() async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run("save-actor", folder.path, "writer", "3")
    #expect(lost(process) == [])
    #expect(try entries(folder) == 3)
  }

  @Test("closing the container saves the changes", arguments: ["close", "close-in-task", "save"])
  func closed(_ command: String) async throws {
    let folder = try SharedFolder()
    let process = try await OtherProcess.run(command, folder.path, "writer", "3")
    #expect(lost(process) == [])
    #expect(try entries(folder) == 3)
  }
}
