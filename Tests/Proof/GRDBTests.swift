import ConformanceSupport
import Foundation
import SwiftData
import Testing

/// Building GRDB takes minutes. So `make proof` and CI run this test, but `make test` does not.
@Suite("Stores in GRDB")
struct GRDBTests {
  private func program() throws -> Program {
    let build = try Program(command: [Program.package.appending(path: "Scripts/proof-grdb").path]).result([])
    try #require(build.status == 0, "proof-grdb cannot be built. Try Scripts/proof-grdb: \(build.errors)")
    return Program(command: [try #require(build.lines.last)])
  }

  @Test("after GRDB inserts, changes, sorts, deletes and copies, the library reads the same as after its own writes")
  func work() async throws {
    let store = try MuseumStore()
    let copy = store.folder.appending(path: "copy.db")
    let output = try program().run([store.path, copy.path])
    let expected = try MuseumStore.worked()
    do {
      let context = ModelContext(try store.container())
      let exhibits = try context.fetch(FetchDescriptor<Exhibit>())
      let byTitle = exhibits.sorted { ($0.title, $0.name) < ($1.title, $1.name) }.map(\.name)
      let priced = exhibits.filter { !$0.price.isNaN }
      let byPrice = priced.sorted { ($0.price, $0.name) < ($1.price, $1.name) }.map(\.name)
      #expect(
        output == [
          "UNIQUE constraint failed: Room.name", "FOREIGN KEY constraint failed", "ok",
          "_osd_unique_Exhibit_name _osd_unique_Exhibit_title_edition _osd_unique_Painting_plate", "_osd_key",
          "Exhibit Label Maker Room", byTitle.joined(separator: ","), byPrice.joined(separator: ","),
        ])
    }
    try await MuseumStore(copy, of: store).expectWhole(expected)
    try await store.expectWhole(expected)
  }
}
