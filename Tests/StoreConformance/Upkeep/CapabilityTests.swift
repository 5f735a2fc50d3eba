import ConformanceSupport
import SwiftData
import Testing

@Suite("Capabilities that an engine lacks")
struct CapabilityTests {
  @Test(
    "if an engine supports no check or backup, the call throws an error that names the alternative",
    arguments: Engine.allCases)
  func upkeep(_ engine: Engine) async throws {
    let archive = try Archive(engine, items: 1)
    let copy = try TestStore.makeFolder().appending(path: "copy.store")
    defer { try? FileManager.default.removeItem(at: copy.deletingLastPathComponent()) }
    if !engine.has(.check) {
      let error = await #expect(throws: SwiftDataError.storeFailure) { try await archive.container.check() }
      #expect(error?.explanation?.contains("Use the tools of its database") == true)
    }
    if !engine.has(.backup) {
      let error = await #expect(throws: SwiftDataError.storeFailure) { try await archive.container.backup(to: copy) }
      #expect(error?.explanation?.contains("Use the tools of its database") == true)
      #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
    // The call must fail exactly if the engine declares that it lacks the capability.
    #expect(engine.has(.check) == ((try? await archive.container.check()) != nil))
    #expect(engine.has(.backup) == ((try? await archive.container.backup(to: copy)) != nil))
  }

  @Test("docs/postgresql.md lists each missing capability with its reason")
  func documentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let text = try String(contentsOf: root.appending(path: "docs/postgresql.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { $0.split(separator: "|") }
    for capability in Engine.postgres.missing {
      let row = rows.first { $0.first?.trimmingCharacters(in: .whitespaces) == capability.rawValue }
      #expect(row?.count == 3, "\(capability.rawValue): what PostgreSQL does instead, and why")
    }
  }
}
