import SwiftData
import Testing

/// Makes the changes that every other program makes to a store, by means of the library. The programs' stores must have
/// the same content afterwards.
struct Work {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  func perform() throws {
    try add()
    try change()
    try move()
    try remove()
  }

  func add() throws {
    let (dora, annex) = (Maker("dora"), Room("annex", floor: 2, x: 3.25, y: -4))
    dora.born = Date(timeIntervalSinceReferenceDate: 1_000.5)
    for model in [dora, annex] as [any PersistentModel] { context.insert(model) }
    let sculpture = Sculpture("new sculpture", title: "", edition: 1, maker: dora, material: "bronze")
    context.insert(sculpture)
    Self.setEverything(sculpture)
    sculpture.plate = 5
    annex.exhibits.append(sculpture)
    sculpture.topics = [try find("peace"), try find("war")]
    try addPainting()
    let loan = Loan("new loan", of: try exhibit(2))
    loan.from = Date(timeIntervalSinceReferenceDate: 785_764_800)
    context.insert(loan)
    try exhibit(2).label = Label("new label")
  }

  private func addPainting() throws {
    let painting = Painting("new painting", title: "Sea", edition: 1, maker: try find("ada"), technique: "ink")
    context.insert(painting)
    painting.plate = "plate new"
    painting.mark = Self.mark
    painting.page = try url("https://example.org/")
    painting.route = Route(stops: ["a"])
    painting.origin = Origin(
      city: "Oslo", spot: Spot(latitude: 59.9, longitude: 10.75), year: nil, condition: .sound, names: [])
    (try find("hall") as Room).exhibits.append(painting)
  }

  func change() throws {
    Self.setEverything(try exhibit(2))
    try exhibit(4).weight = 2.5
    try exhibit(5).huge = 0x8000_0000_0000_0001
    try exhibit(5).origin.city = "Bergen"
    let (loft, bo): (Room, Maker) = (try find("loft"), try find("bo"))
    (loft.x, loft.y, bo.born) = (100, 200.5, nil)
    try exhibit(11).scan = Data([1, 2])
    try exhibit(7).film = Data()
    try exhibit(16).scan = nil
  }

  func move() throws {
    let (hall, dora): (Room, Maker) = (try find("hall"), try find("dora"))
    dora.works.append(try exhibit(30))
    let moved = try exhibit(15)
    hall.exhibits.removeAll { $0 === moved }
    hall.exhibits.insert(moved, at: 0)
    try exhibit(2).topics.removeAll { $0.name == "peace" }
  }

  func remove() throws {
    context.delete(try find("cy") as Maker)
    context.delete(try find("cellar") as Room)
    context.delete(try exhibit(21))
    context.delete(try find("label 0") as Label)
    context.delete(try find("sea") as Topic)
    context.delete(try find("a") as Folder)
  }

  private func exhibit(_ number: Int) throws -> Exhibit { try find("exhibit \(number)") }

  private func find<Model: Named>(_ name: String) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first { $0.name == name }, "there is no \(name)")
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
}

extension Work {
  fileprivate static let mark = UUID(
    uuid: (0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF))

  /// Changes every attribute of an exhibit. `EVERYTHING` in `museum.py` makes the same changes by SQL.
  fileprivate static func setEverything(_ exhibit: Exhibit) {
    setNumbers(exhibit)
    setLists(exhibit)
    (exhibit.title, exhibit.subtitle) = ("Pi\u{E9}ta", "from \u{3B1} to \u{3C9}")
    exhibit.mark = mark
    exhibit.oldMark = UUID(
      uuid: (0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 0x99, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00))
    exhibit.page = URL(string: "https://example.org/new") ?? exhibit.page
    exhibit.oldPage = URL(string: "https://example.org/old?x=1")
    (exhibit.bytes, exhibit.bytesOrNil) = (Data([0, 255]), Data())
    (exhibit.scan, exhibit.film) = (Data([1, 2, 3]), Data([4, 5]))
    (exhibit.route, exhibit.detour) = (Route(stops: ["a", "b"]), Route(stops: ["c"]))
    (exhibit.condition, exhibit.formerCondition) = (.sound, .cracked)
    (exhibit.rank, exhibit.formerRank) = (.major, .minor)
    exhibit.origin = Origin(
      city: "\u{14C}saka", spot: Spot(latitude: 34.5, longitude: 135.25), year: 1969, condition: .sound,
      names: ["a", "b"])
    exhibit.formerOrigin = Origin(
      city: "Nara", spot: Spot(latitude: 1.5, longitude: 2.5), year: nil, condition: .sound, names: [])
    exhibit.hint = Hint(text: "see", page: 9)
    (exhibit.frame, exhibit.formerFrame) = (.wood(width: 0.5), Frame.none)
    exhibit.whole = Spot(latitude: 1.5, longitude: 2.5)
  }

  private static func setNumbers(_ exhibit: Exhibit) {
    (exhibit.isLent, exhibit.isFragile) = (true, false)
    (exhibit.tiny, exhibit.small, exhibit.medium, exhibit.wide) = (-5, 300, 70_000, 5_000_000_000)
    (exhibit.byte, exhibit.short, exhibit.long, exhibit.huge) = (200, 60_000, 4_000_000_000, 0x8000_0000_0000_0001)
    (exhibit.natural, exhibit.number, exhibit.hugeOrNil) = (7, -1, 8)
    (exhibit.weight, exhibit.height, exhibit.ratio, exhibit.ratioOrNil) = (12.25, 0.1, 0.5, -1.5)
    (exhibit.price, exhibit.fee) = (Decimal(125_075) / 100, Decimal(-1) / 1_000_000)
    exhibit.acquired = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    exhibit.returned = Date(timeIntervalSinceReferenceDate: 0)
    exhibit.period = .milliseconds(4_500)
  }

  private static func setLists(_ exhibit: Exhibit) {
    (exhibit.tags, exhibit.tagsOrNil, exhibit.flags) = (["x", "\u{E9}"], ["y"], [true])
    (exhibit.numbers, exhibit.huges, exhibit.weights, exhibit.prices) = ([1, 2], [3], [0.5], [1.5])
    exhibit.dates = [Date(timeIntervalSinceReferenceDate: 10)]
    exhibit.marks = [mark]
    exhibit.pages = [URL(string: "https://example.org/p")].compactMap { $0 }
    (exhibit.blobs, exhibit.conditions) = ([Data([1, 2])], [.sound])
    exhibit.spots = [Spot(latitude: 1, longitude: 2)]
    (exhibit.gaps, exhibit.counts, exhibit.words) = ([nil, 4], ["k": 1], ["w"])
  }
}
