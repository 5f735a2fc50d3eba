import ConformanceSupport
import SwiftData
import Testing

@Model
private final class Gauging {
  #Index<Gauging>([\.value], [\.taken])
  var value: Double
  var ratio: Float?
  var taken: Date

  init(_ value: Double, ratio: Float? = nil, taken: Date = Date(timeIntervalSinceReferenceDate: 86_400)) {
    self.value = value
    self.ratio = ratio
    self.taken = taken
  }
}

@Suite("Columns of floating-point numbers and dates")
struct RealColumnTests {
  private let store: TestStore
  private static let values = [
    0, 3, -4.5, 1e300, .infinity, -.infinity, .nan, 281_474_976_710_656, 9_007_199_254_740_992,
  ]

  init() throws {
    store = try TestStore(.file, [Gauging.self])
    let context = store.context()
    for value in Self.values { context.insert(Gauging(value, ratio: value.isNaN ? .nan : nil)) }
    try context.save()
  }

  private var plain: RawDatabase { get throws { try RawDatabase(store.configuration.url.path) } }

  @Test("the columns are declared REAL, and a comment explains the number of a date")
  func types() throws {
    let types = try plain.rows("PRAGMA table_info(Gauging)").map { [$0[1], $0[2]] }
    #expect(types == [["_osd_key", "INTEGER"], ["value", "REAL"], ["ratio", "REAL"], ["taken", "REAL"]])
    let sql = try plain.column("SELECT sql FROM sqlite_master WHERE name = 'Gauging'")
    #expect(sql.first?.contains("\"taken\" /* Date: seconds since 2001-01-01 UTC */ REAL NOT NULL") == true)
  }

  @Test("the columns store all numbers as real numbers, including whole numbers, and not-a-number as text")
  func classes() throws {
    let classes = try plain.column("SELECT typeof(value) FROM Gauging ORDER BY _osd_key")
    #expect(classes == Self.values.map { $0.isNaN ? "text" : "real" })
    #expect(try plain.column("SELECT typeof(taken) FROM Gauging").allSatisfy { $0 == "real" })
    let found = try store.context().fetch(FetchDescriptor<Gauging>()).map(\.value)
    #expect(
      zip(found, Self.values).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) } && found.count == Self.values.count)
    #expect(try plain.problems() == [])
  }

  @Test("comparisons match Swift, sorts put not-a-number after all numbers, and both use the index")
  func comparisons() throws {
    let context = store.context()
    for bound in Self.values {
      let above = try context.fetch(FetchDescriptor<Gauging>(predicate: #Predicate { $0.value > bound })).map(\.value)
      #expect(above.sorted() == Self.values.filter { $0 > bound }.sorted(), "above \(bound)")
      let equal = try context.fetch(FetchDescriptor<Gauging>(predicate: #Predicate { $0.value == bound })).map(\.value)
      #expect(equal == Self.values.filter { $0 == bound }, "\(bound)")
    }
    let sorted = try context.fetch(FetchDescriptor<Gauging>(sortBy: [SortDescriptor(\.value)])).map(\.value)
    #expect(sorted.dropLast() == Self.values.filter { !$0.isNaN }.sorted()[...] && sorted.last?.isNaN == true)
    let range = FetchDescriptor<Gauging>(predicate: #Predicate { $0.value > 2 }, sortBy: [SortDescriptor(\.value)])
    #expect(try range.explain(in: context).plan.contains { $0.text.contains("(value>? AND value<?)") })
  }

  @Test("the columns have no sign of zero, so that a query divides by -0.0 as by 0.0")
  func division() throws {
    let context = store.context()
    context.insert(Gauging(-0.0))
    try context.save()
    let (one, infinity) = (1.0, Double.infinity)
    let found = try store.context().fetch(
      FetchDescriptor<Gauging>(predicate: #Predicate { one / $0.value == infinity }))
    #expect(found.map(\.value.sign) == [.plus, .minus])
  }

  @Test("the columns accept whole numbers and numbers in texts from other programs")
  func otherPrograms() throws {
    try plain.rows("INSERT INTO Gauging (_osd_key, value, ratio, taken) VALUES (100, 12, '0.5', '86400')")
    let twelve = try store.context().fetch(FetchDescriptor<Gauging>(predicate: #Predicate { $0.value == 12 })).first
    #expect(twelve?.ratio == 0.5 && twelve?.taken == Date(timeIntervalSinceReferenceDate: 86_400))
    #expect(
      try plain.column("SELECT datetime(taken + 978307200, 'unixepoch') FROM Gauging WHERE _osd_key = 100") == [
        "2001-01-02 00:00:00"
      ])
  }
}
