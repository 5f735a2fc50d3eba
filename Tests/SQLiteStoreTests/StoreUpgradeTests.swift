import CSQLite
import PersistenceCore
import Testing

@testable import SQLiteStore

@Suite("Stores of older formats that are only read")
struct StoreUpgradeTests {
  private func upgrade(_ schemaJSON: String) throws -> StoreUpgrade {
    let handle = try SQLiteHandle(
      opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: "a.store")
    return StoreUpgrade(handle: handle, path: "a.store", format: 2, schemaJSON: schemaJSON)
  }

  @Test("a schema without values in files is not decoded")
  func withoutFiles() throws {
    try upgrade("no schema").requireReadable()
    let withFiles = try upgrade("no schema, but \"externalStorage\"")
    #expect(throws: SwiftDataError.self) { try withFiles.requireReadable() }
  }
}
