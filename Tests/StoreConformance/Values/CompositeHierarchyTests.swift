import SwiftData
import Testing

@Model
class Estate {
  #Index<Estate>([\.address.city])

  var number: Int
  var address: Address
  var hint: Region?

  init(_ number: Int, _ city: String) {
    self.number = number
    address = Address(city, latitude: Double(number))
    hint = number == 1 ? nil : Region()
  }
}

@Model
final class Castle: Estate {
  var keep: Coordinates
  var moat: Region?

  init(_ number: Int, _ city: String, keep: Coordinates, moat: Region?) {
    self.keep = keep
    self.moat = moat
    super.init(number, city)
  }
}

@Suite("Composites of models that inherit", .serialized)
struct CompositeHierarchyTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, [Estate.self, Castle.self])
    let context = store.context()
    context.insert(Estate(1, "Oslo"))
    context.insert(Castle(2, "Oslo", keep: Coordinates(latitude: 1, longitude: 2), moat: Region()))
    context.insert(Castle(3, "Bergen", keep: Coordinates(latitude: 3, longitude: 4), moat: nil))
    try context.save()
    return store
  }

  @Test("fetches of the base class and of the subclass read the composites", arguments: Engine.allCases)
  func roundTrip(_ engine: Engine) throws {
    let context = try store(engine).context()
    let all = try context.fetch(FetchDescriptor<Estate>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.map(\.address) == [1, 2, 3].map { Address($0 == 3 ? "Bergen" : "Oslo", latitude: Double($0)) })
    #expect(all.map(\.hint) == [nil, Region(), Region()])
    let castles = try context.fetch(FetchDescriptor<Castle>(sortBy: [SortDescriptor(\.number)]))
    #expect(castles.map(\.keep.longitude) == [2, 4])
    #expect(castles.map(\.moat) == [Region(), nil])
  }

  @Test("the composites are changed and refreshed", arguments: Engine.allCases)
  func changes(_ engine: Engine) throws {
    let store = try store(engine)
    let (mine, theirs) = (store.context(), store.context())
    let sorted = FetchDescriptor<Castle>(sortBy: [SortDescriptor(\.number)])
    let (known, other) = (try mine.fetch(sorted), try theirs.fetch(sorted))
    other[0].keep.latitude = 7
    other[0].moat = nil
    other[1].address.city = "Tromsø"
    try theirs.save()
    _ = try mine.fetch(FetchDescriptor<Estate>())
    #expect(known.map(\.keep.latitude) == [7, 3])
    #expect(known[0].moat == nil && known[1].address.city == "Tromsø")
  }

  @Test("predicates can compare members of the composites", arguments: Engine.allCases)
  func predicates(_ engine: Engine) throws {
    let context = try store(engine).context()
    let inOslo = FetchDescriptor<Estate>(predicate: #Predicate { $0.address.city == "Oslo" })
    #expect(try context.fetch(inOslo).map(\.number).sorted() == [1, 2])
    let castlesInOslo = FetchDescriptor<Castle>(predicate: #Predicate { $0.address.city == "Oslo" })
    #expect(try context.fetch(castlesInOslo).map(\.number) == [2])
    let high = FetchDescriptor<Castle>(predicate: #Predicate { $0.keep.latitude > 2 && $0.moat == nil })
    #expect(try context.fetch(high).map(\.number) == [3])
    let cast = FetchDescriptor<Estate>(
      predicate: #Predicate { ($0 as? Castle).flatMap { $0.keep.latitude > 2 } ?? false })
    #expect(try context.fetch(cast).map(\.number) == [3])
    let sorted = FetchDescriptor<Castle>(sortBy: [SortDescriptor(\.address.city)])
    #expect(try context.fetch(sorted).map(\.number) == [3, 2])
  }
}
