import ConformanceSupport
import SwiftData
import Testing

extension MuseumStore {
  /// The content of a store after the library has done the work that the tests let other programs do.
  static func worked() throws -> Contents {
    let store = try MuseumStore()
    try store.change { try Work($0).perform() }
    return try store.contents()
  }

  func expectSame(_ expected: Contents, location: SourceLocation = #_sourceLocation) throws {
    let differences = try contents().differences(from: expected)
    #expect(
      differences.isEmpty, "\(differences.prefix(20).joined(separator: "\n"))", sourceLocation: location)
  }

  /// Expects that a store is complete after another program has changed it: objects have the expected content, queries
  /// find the right objects, and the library can continue to write. A check may find and repair only violations of
  /// rules that other programs need not follow.
  func expectWhole(_ expected: Contents, location: SourceLocation = #_sourceLocation) async throws {
    try expectSame(expected, location: location)
    let problems = try await check()
    // Other programs may assign keys without updating the key counter, and leave original texts of changed or deleted
    // texts.
    let harmless: Set<ModelContainer.StoreProblem.Kind> = [.counter, .leftoverOriginal]
    #expect(problems.allSatisfy { harmless.contains($0.kind) }, "\(problems)", sourceLocation: location)
    _ = try await check(repairing: true)
    #expect(try await check() == [], sourceLocation: location)
    try expectSame(expected, location: location)
    try expectQueries(location)
    try expectToGoOn(location)
    #expect(try await check() == [], sourceLocation: location)
  }

  /// Expects that a query by an index, an R-tree or a comparison finds the same objects as a loop over all objects.
  private func expectQueries(_ location: SourceLocation) throws {
    let context = ModelContext(try container())
    let all = try context.fetch(FetchDescriptor<Exhibit>())
    func expect(_ predicate: Predicate<Exhibit>, _ isFound: (Exhibit) -> Bool) throws {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      #expect(Set(found.map(\.name)) == Set(all.filter(isFound).map(\.name)), sourceLocation: location)
      #expect(!found.isEmpty, "a query that finds nothing proves nothing", sourceLocation: location)
    }
    let (decimal, city, date) = (Decimal(12), "Z\u{FC}rich", Date(timeIntervalSinceReferenceDate: 0))
    try expect(#Predicate { $0.price > decimal }) { $0.price > decimal }
    try expect(#Predicate { $0.origin.city == city }) { $0.origin.city == city }
    try expect(#Predicate { $0.title >= "a" && $0.title < "q" }) { $0.title >= "a" && $0.title < "q" }
    try expect(#Predicate { $0.acquired > date }) { $0.acquired > date }
    try expect(#Predicate { $0.origin.spot.latitude > 30 && $0.origin.spot.longitude > 0 }) {
      $0.origin.spot.latitude > 30 && $0.origin.spot.longitude > 0
    }
    try expect(#Predicate { $0.topics.contains { $0.name == "war" } }) { $0.topics.contains { $0.name == "war" } }
    let titles = try context.fetch(FetchDescriptor<Exhibit>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    #expect(titles == titles.sorted(), sourceLocation: location)
    let prices = try context.fetch(FetchDescriptor<Exhibit>(sortBy: [SortDescriptor(\.price)])).map(\.price)
    let numbers = prices.filter { !$0.isNaN }
    #expect(numbers == numbers.sorted() && numbers.count > 20, sourceLocation: location)
  }

  /// Expects that one save can insert rows of every kind, and that an object that another program may have written can
  /// be found by its name.
  private func expectToGoOn(_ location: SourceLocation) throws {
    let (before, files) = (try contents(), try externalFiles())
    try change { context in
      let maker = Maker("last")
      let exhibit = Fresco("last", title: "La\u{301}st", edition: 99, maker: maker, wall: "north")
      context.insert(exhibit)
      exhibit.label = Label("last")
      exhibit.scan = .filled(9, 100_000)
      exhibit.topics = try context.fetch(FetchDescriptor<Topic>())
      context.insert(Loan("last", of: exhibit))
      let again = Room("hall", floor: 9, x: 8, y: 7)
      context.insert(again)
    }
    let after = try contents()
    #expect(after.objectCount == before.objectCount + 4, sourceLocation: location)
    #expect(after["Room hall", "floor"] == "9" && after["Room hall", "y"] == "7.0", sourceLocation: location)
    #expect(after["Fresco last", "title"] == "\"La\\u{301}st\"", sourceLocation: location)
    #expect(after["Loan last", "exhibit"] == "Fresco last", sourceLocation: location)
    // The save has also deleted external files to which no row refers. At most one new file remains.
    #expect(try externalFiles() - files <= 1, sourceLocation: location)
  }

  func externalFiles() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: externalFolder.path).count
  }
}
