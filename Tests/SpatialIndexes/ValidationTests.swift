import ConformanceSupport
import SwiftData
import Testing

private enum Mood: Int, Codable { case calm, wild }

@Model private final class Muddle {
  #Index<Muddle>(
    .rtree([\.a, \.b, \.c, \.d, \.e, \.f]), .rtree([\.a, \.a]), .rtree([\.name, \.a]), .rtree([\.isOpen]),
    .rtree([\.mood]), .rtree([\.friend]), .rtree([\.position]),
    .rtree([\.data, \.identifier]))
  var a = 0.0
  var b = 0.0
  var c = 0.0
  var d = 0.0
  var e = 0.0
  var f = 0.0
  var name = ""
  var isOpen = false
  fileprivate var mood = Mood.calm
  var friend: Muddle?
  var position = Position(latitude: 0, longitude: 0)
  var data = Data()
  var identifier = UUID()
  init() {}
}

@Suite("Invalid R-trees")
struct ValidationTests {
  @Test("opening a store throws with all problems of its R-trees at once")
  func all() throws {
    let folder = try TestStore.makeFolder()
    let url = folder.appending(path: "no.store")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Muddle.self]), configurations: [ModelConfiguration(url: url)])
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let lines = try #require(error?.explanation).split(separator: "\n")
    let starts = [
      "Muddle: an R-tree of a, b, c, d, e, f has 6 dimensions, and 5 are the most.",
      "Muddle.a: an R-tree names it more than once.",
      "Muddle.name: an R-tree names it, but values of type String are no numbers. Take it out",
      "Muddle.isOpen: an R-tree names it, but values of type Bool are only two, which halve a search at best. Take it out",
      "Muddle.mood: an R-tree names it, but values of type Mood are no numbers. Take it out",
      "Muddle.friend: an R-tree names it, but it relates to another model",
      "Muddle.position: an R-tree names it, but values of type Position are no numbers. Take it out",
      "Muddle.data: an R-tree names it, but values of type Data are no numbers. Take it out",
      "Muddle.identifier: an R-tree names it, but values of type UUID are no numbers. Take it out",
    ]
    #expect(lines.count == starts.count)
    for start in starts { #expect(lines.contains { $0.hasPrefix(start) }, "\(start)") }
  }

  @Test("R-trees over one to five numbers of any type, dates or optionals are valid")
  func fine() throws {
    for model in [Place.self, Spot.self, Cell.self, Site.self, Station.self, Parcel.self] as [any PersistentModel.Type]
    {
      #expect(throws: Never.self) { try TestStore(.memory, [model]) }
    }
  }

  @Test("a plain index and an R-tree may have the same properties, and a schema distinguishes them")
  func both() throws {
    let entity = try #require(Schema([Station.self]).entitiesByName["Station"])
    #expect(entity.indices == [["x", "y"], ["x", "y"]])
    let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(Schema([Station.self])))
    #expect(decoded == Schema([Station.self]))
    let store = try TestStore(.file, [Station.self])
    let layout = try store.raw.definitions().map { $0[0] }
    #expect(layout.contains("_osd_index_Station_x_y") && layout.contains("_osd_rtree_Station_x_y"))
  }
}
