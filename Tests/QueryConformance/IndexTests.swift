import ConformanceSupport
import SwiftData
import Testing

private enum State: String, Codable, CaseIterable {
  case packed, sent, lost
}

private struct Place: Codable, Hashable {
  var city: String
  var zip: Int
}

@Model
private final class Sender: Codable {
  #Index<Sender>([\.name])
  var name: String
  @Relationship(inverse: \Parcel.sender) var parcels: [Parcel] = []

  init(_ name: String) { self.name = name }

  convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

/// A model with an index on every property.
@Model
private final class Parcel {
  #Index<Parcel>(
    [\.title], [\.note], [\.count], [\.weight], [\.price], [\.sent], [\.code], [\.state], [\.place.city], [\.size])
  var title: String
  var note: String?
  var count: Int
  var weight: Double
  var price: Decimal
  var sent: Date
  var code: UUID
  var state: State
  var place: Place
  var size: UInt64?
  var sender: Sender?

  init(_ title: String) {
    self.title = title
    count = title.count
    weight = 1
    price = 1
    sent = Date(timeIntervalSinceReferenceDate: 0)
    code = UUID()
    state = .packed
    place = Place(city: title, zip: 1)
  }
}

/// Checks by SQLite's query plan that operations which the documentation calls fast use an index.
@Suite("Predicates that use an index")
struct IndexTests {
  private let store: TestStore

  init() throws {
    store = try TestStore(.file, [Parcel.self, Sender.self])
    let context = store.context()
    for title in ["Ada", "Cl\u{E9}o", "Bob"] { context.insert(Parcel(title)) }
    let sender = Sender("North")
    context.insert(sender)
    sender.parcels = try context.fetch(FetchDescriptor<Parcel>())
    try context.save()
  }

  /// Checks that the query plan searches an index of each of these columns and scans no table.
  private func check(
    _ predicate: Predicate<Parcel>, _ columns: String..., sort: [SortDescriptor<Parcel>] = [],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try FetchDescriptor(predicate: predicate, sortBy: sort).explain(in: store.context())
    let words = "\(plan)"
    #expect(plan.inMemory.isEmpty, "\(words)", sourceLocation: location)
    for column in columns {
      let isSearched = plan.plan.contains { $0.text.hasPrefix("SEARCH") && $0.text.contains(column) }
      #expect(isSearched, "\(words)", sourceLocation: location)
    }
    #expect(!plan.plan.contains { $0.text.hasPrefix("SCAN Parcel") }, "\(words)", sourceLocation: location)
    #expect(
      !plan.plan.contains { $0.text.contains("TEMP B-TREE") } || sort.isEmpty, "\(words)", sourceLocation: location)
  }

  @Test("equality of texts uses an index, in ASCII and beyond")
  func textEquality() throws {
    for text in ["Ada", "Cl\u{E9}o", "Cle\u{301}o", "\u{212A}"] {
      try check(#Predicate { $0.title == text }, "(title=?)")
      try check(#Predicate { text == $0.title }, "(title=?)")
      try check(#Predicate { $0.note == text }, "(note=?)")
    }
    let none: String? = nil
    try check(#Predicate { $0.note == none }, "(note=?)")
    try check(#Predicate { $0.note == nil }, "(note=?)")
  }

  // SQLite estimates that a range with one bound matches a quarter of the table. So it uses the index only if the fetch
  // is also sorted by this column.
  @Test("comparing the order of texts uses an index, in ASCII and beyond")
  func textOrder() throws {
    for text in ["Ada", "Cl\u{E9}o"] {
      try check(#Predicate { $0.title < text }, "(title<?)", sort: [SortDescriptor(\.title)])
      try check(#Predicate { $0.title >= text }, "(title>?)", sort: [SortDescriptor(\.title)])
      try check(#Predicate { $0.title >= "A" && $0.title < text }, "(title>? AND title<?)")
      try check(#Predicate { $0.note.flatMap { $0 > text } ?? false }, "(note>?)", sort: [SortDescriptor(\.note)])
      let range = "A"..<text
      try check(#Predicate { range.contains($0.title) }, "(title>? AND title<?)")
    }
    try check(#Predicate { $0.title > "A" }, "(title>?)", sort: [SortDescriptor(\.title)])
  }

  @Test("prefixes of texts use an index, in ASCII and beyond")
  func prefixes() throws {
    for text in ["Ad", "Cl\u{E9}"] {
      try check(#Predicate { $0.title.starts(with: text) }, "(title>? AND title<?)")
      try check(#Predicate { $0.note?.starts(with: text) ?? false }, "(note>? AND note<?)")
      try check(#Predicate { $0.note?.starts(with: text) == true }, "(note>? AND note<?)")
      try check(#Predicate { $0.note.flatMap { $0.starts(with: text) } ?? false }, "(note>? AND note<?)")
    }
  }

  @Test("a search in a captured collection of any length uses an index")
  func lists() throws {
    let (titles, many, codes) = (["Ada", "Cl\u{E9}o"], Array(0..<20_000), Set([UUID()]))
    let notes: [String?] = ["a", "b"]
    try check(#Predicate { titles.contains($0.title) }, "(title=?)")
    try check(#Predicate { many.contains($0.count) }, "(count=?)")
    try check(#Predicate { codes.contains($0.code) }, "(code=?)")
    try check(#Predicate { notes.contains($0.note) }, "(note=?)")
    let withNil: [String?] = ["a", nil]
    try check(#Predicate { withNil.contains($0.note) }, "(note=?)")
    let decimals = [Decimal(1), 2]
    try check(#Predicate { decimals.contains($0.price) }, "price (<expr>=?)")
  }

  @Test("equality and order of numbers, dates and identifiers use an index")
  func numbers() throws {
    let (date, code, price, size) = (Date.now, UUID(), Decimal(3), UInt64.max)
    try check(#Predicate { $0.count == 3 }, "(count=?)")
    try check(#Predicate { $0.count > 3 }, "(count>?)", sort: [SortDescriptor(\.count)])
    try check(#Predicate { (2...4).contains($0.count) }, "(count>? AND count<?)")
    try check(#Predicate { $0.weight == 3 }, "(weight=?)")
    try check(#Predicate { $0.weight < 3 }, "(weight<?)", sort: [SortDescriptor(\.weight)])
    try check(#Predicate { $0.weight > 3 }, "(weight>? AND weight<?)")
    try check(#Predicate { $0.price == price }, "price (<expr>=?)")
    try check(#Predicate { $0.price <= price }, "price (<expr><?)", sort: [SortDescriptor(\.price)])
    try check(#Predicate { $0.sent < date }, "(sent<?)", sort: [SortDescriptor(\.sent)])
    try check(#Predicate { $0.sent == date }, "(sent=?)")
    try check(#Predicate { $0.sent.timeIntervalSinceReferenceDate < 5 }, "(sent<?)", sort: [SortDescriptor(\.sent)])
    let (from, to) = (Date.distantPast, Date.distantFuture)
    try check(#Predicate { $0.sent >= from && $0.sent < to }, "(sent>? AND sent<?)")
    try check(#Predicate { (from..<to).contains($0.sent) }, "(sent>? AND sent<?)")
    try check(#Predicate { $0.code == code }, "(code=?)")
    try check(#Predicate { $0.code > code }, "(code>?)", sort: [SortDescriptor(\.code)])
    try check(#Predicate { $0.size == size }, "(size=?)")
  }

  @Test("enums and members of structs use the indexes of their columns")
  func values() throws {
    let (state, states) = (State.sent, [State.sent, .lost])
    try check(#Predicate { $0.state == state }, "(state=?)")
    try check(#Predicate { $0.state.rawValue == "sent" }, "(state=?)")
    try check(#Predicate { states.contains($0.state) }, "(state=?)")
    try check(#Predicate { $0.place.city == "Ada" }, "(place_city=?)")
    try check(#Predicate { $0.place.city.starts(with: "A") }, "(place_city>? AND place_city<?)")
    let place = Place(city: "Ada", zip: 1)
    try check(#Predicate { $0.place == place }, "(place_city=?)")
  }

  @Test("a path through a relationship first searches an index of the destination")
  func paths() throws {
    try check(#Predicate { $0.sender?.name == "North" }, "(name=?)", "(sender=?)")
    try check(#Predicate { $0.sender?.name.starts(with: "N") == true }, "(name>? AND name<?)", "(sender=?)")
    try check(#Predicate { $0.sender == nil }, "(sender=?)")
  }

  @Test("models and their identifiers are found by the index of the reference and by the key")
  func models() throws {
    let context = store.context()
    let sender = try #require(try context.fetch(FetchDescriptor<Sender>()).first)
    let parcel = try #require(try context.fetch(FetchDescriptor<Parcel>()).first)
    let (senderID, parcelID) = (sender.persistentModelID, parcel.persistentModelID)
    let parcelIDs = [parcelID]
    try check(#Predicate { $0.sender == sender }, "(sender=?)")
    try check(#Predicate { $0.sender?.persistentModelID == senderID }, "(sender=?)")
    try check(#Predicate { $0.persistentModelID == parcelID }, "PRIMARY KEY (rowid=?)")
    try check(#Predicate { parcelIDs.contains($0.persistentModelID) }, "PRIMARY KEY (rowid=?)")
    let identifier = parcelID
    let senders = #Predicate<Sender> { $0.parcels.contains { $0.persistentModelID == identifier } }
    let plan = try FetchDescriptor(predicate: senders).explain(in: context)
    #expect(plan.plan.contains { $0.text.contains("SEARCH t1") }, "\(plan)")
  }
}
