import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("The store that other programs are given, and how it is compared")
struct MuseumTests {
  @Test("reads back as it was made, and nothing is wrong with it, before and after the work")
  func madeAndRead() async throws {
    let store = try MuseumStore()
    try store.expectSame(try #require(store.made))
    #expect(try await store.check() == [])
    try store.change { try Work($0).perform() }
    #expect(try await store.check() == [])
  }

  @Test("has an object of every class, and no property that is nil or the same in all of them")
  func variety() throws {
    let contents = try MuseumStore().contents()
    let names = Set(contents.objects.keys.compactMap { $0.split(separator: " ").first.map(String.init) })
    #expect(names == Set(Museum.models.map { "\($0)" }))
    let exhibits = contents.objects.filter { $0.key.contains(" exhibit ") }.values
    #expect(exhibits.count == 36)
    // Lists whose elements are what matters.
    let constant = ["flags", "numbers", "huges", "weights", "prices", "blobs", "conditions", "spots"]
    for property in Set(exhibits.flatMap(\.keys)).subtracting(constant) {
      #expect(Set(exhibits.compactMap { $0[property] }).count > 1, "\(property) has one value only")
    }
  }

  @Test("is another one without a scalar of a text, and without the sign of a zero")
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

  @Test("is compared place by place: an exchange of two members of a list is a difference")
  func order() throws {
    let store = try MuseumStore()
    let contents = try store.contents()
    try store.change { context in
      try #require(try context.fetch(FetchDescriptor<Room>()).first { $0.name == "loft" }).exhibits.swapAt(1, 2)
    }
    let differences = try store.contents().differences(from: contents)
    #expect(differences.count == 1 && differences[0].hasPrefix("Room loft.exhibits is "), "\(differences)")
  }

  @Test("needs programs, and where one is missing the test fails with the line that installs it")
  func missing() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // All that the script needs to find out that there is no Python.
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
