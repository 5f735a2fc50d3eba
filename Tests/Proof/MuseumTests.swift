import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("The museum store, which tests of other programs use, and its comparison")
struct MuseumTests {
  @Test("the store is read as it was created and has no problems, before and after the changes")
  func madeAndRead() async throws {
    let store = try MuseumStore()
    try store.expectSame(try #require(store.made))
    #expect(try await store.check() == [])
    try store.change { try Work($0).perform() }
    #expect(try await store.check() == [])
  }

  @Test("the store has an object of every class; no property has the same value in all objects")
  func variety() throws {
    let contents = try MuseumStore().contents()
    let names = Set(contents.objects.keys.compactMap { $0.split(separator: " ").first.map(String.init) })
    #expect(names == Set(Museum.models.map { "\($0)" }))
    let exhibits = contents.objects.filter { $0.key.contains(" exhibit ") }.values
    #expect(exhibits.count == 36)
    // These properties are lists, whose elements differ.
    let constant = ["flags", "numbers", "huges", "weights", "prices", "blobs", "conditions", "spots"]
    for property in Set(exhibits.flatMap(\.keys)).subtracting(constant) {
      #expect(Set(exhibits.compactMap { $0[property] }).count > 1, "\(property) has one value only")
    }
  }

  @Test("the comparison detects a lost scalar of a text, and a lost sign of a zero")
  func exactness() throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    let database = try RawDatabase(store.path)
    let columns = try database.rows("SELECT DISTINCT \"table\", key FROM _osd_originals")
    try database.rows("DELETE FROM _osd_originals")
    let differences = try store.contents().differences(from: contents)
    let objects = Set(differences.compactMap { $0.split(separator: ".").first })
    #expect(objects.count == columns.count && columns.count > 20, "\(differences)")
    #expect(differences.contains { $0.contains(".weight is 0.0, not -0.0") }, "\(differences)")
  }

  @Test("the comparison detects that two members of a list were exchanged")
  func order() throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    try store.change { context in
      try #require(try context.fetch(FetchDescriptor<Room>()).first { $0.name == "loft" }).exhibits.swapAt(1, 2)
    }
    let differences = try store.contents().differences(from: contents)
    #expect(differences.count == 1 && differences[0].hasPrefix("Room loft.exhibits is "), "\(differences)")
  }

  @Test("if another program is not installed, the test fails with the command that installs it")
  func missing() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // The search path contains only the programs that the script needs to detect that Python is missing.
    for program in ["bash", "dirname"] {
      let place = try #require(
        ["/bin", "/usr/bin"].first { FileManager.default.fileExists(atPath: "\($0)/\(program)") })
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: program).path, withDestinationPath: "\(place)/\(program)")
    }
    let script = Program.package.appending(path: "Scripts/proof-environment").path
    let result = try Program(command: ["PATH=\(folder.path)", "bash", script]).result([])
    #expect(result.status != 0 && result.errors.contains("apt-get install --yes python3 python3-venv"), "\(result)")
  }
}
