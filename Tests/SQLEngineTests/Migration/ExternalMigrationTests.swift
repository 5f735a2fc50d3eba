import Foundation
import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

private enum External {
  @Model final class Note {
    @Attribute(.externalStorage) var bytes: Data
    init(_ bytes: Data) { self.bytes = bytes }
  }
}

private enum Internal {
  @Model final class Note {
    var bytes: Data
    init(_ bytes: Data) { self.bytes = bytes }
  }
}

@Suite("Migrations between values in rows and values in files")
struct ExternalMigrationTests {
  @Test("the dialect distinguishes references to files from other bytes")
  func files() throws {
    #expect(try tests(SQLiteDialect()) == [#"typeof("bytes") = 'text'"#])
    #expect(try tests(TestDialect()) == ["is_file([bytes])"])
  }

  /// The SQL conditions by which a migration from files to rows recognizes values that are in files.
  private func tests(_ dialect: some SQLDialect) throws -> [String] {
    let plan = try MigrationCase.plan(from: [External.Note.self], to: [Internal.Note.self], dialect)
    return plan.operations.compactMap { operation -> String? in
      guard case .reseal(let reseal) = operation else { return nil }
      return reseal.test
    }
  }
}
