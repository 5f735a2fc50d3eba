import SwiftData
import Testing

@Model
actor Ticket {
  #Index<Ticket>([\.code], [\.place, \.name])
  @Attribute(.unique) let code: Int
  nonisolated let place: String
  var name: String
  var booking: Booking?
}

@Model
@StoreActor
final class Booking {
  let made: Date
  @Relationship(inverse: Ticket.keyPath(\.booking)) var tickets: [Ticket] = []

  init(_ made: Date) { self.made = made }
}

@Suite("Constants of models that belong to an actor")
struct ConstantTests {
  @Test(
    "predicates use the nonisolated twin of an isolated constant, and a nonisolated constant itself",
    arguments: Engine.allCases)
  func queries(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Ticket.self, Booking.self])
    let tickets = (1...4).map { Ticket(code: $0, place: $0 < 3 ? "north" : "south", name: "\($0)") }
    let shelf = Shelf(store.container)
    try await shelf.perform { context in
      for ticket in tickets { context.insert(ticket) }
      try context.save()
    }
    try await Shelf(store.container).perform { context in
      func codes(_ predicate: Predicate<Ticket>) throws -> [Int] {
        let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\._code, order: .reverse)])
        #expect(try descriptor.explain(in: context).inMemory.isEmpty)
        return try context.fetch(descriptor).map(\.code)
      }
      let (odd, south, both) = (
        try codes(#Predicate { $0._code % 2 == 1 }), try codes(#Predicate { $0.place == "south" }),
        try codes(#Predicate { $0._code > 1 && $0.place == "north" && $0._name != "x" })
      )
      #expect(odd == [3, 1] && south == [4, 3] && both == [2])
      let places = FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.place, order: .reverse), SortDescriptor(\._code)])
      let sorted = try context.fetch(places).map(\.code)
      #expect(sorted == [3, 4, 1, 2])
    }
  }

  @Test("constants can be unique, indexed and queried through relationships")
  @StoreActor func rules() throws {
    let store = try TestStore(.memory, [Ticket.self, Booking.self])
    let entity = try #require(store.container.schema.entity(for: Ticket.self))
    #expect(Set(entity.indices) == [["code"], ["place", "name"]])
    #expect(entity.attributesByName["code"]?.isUnique == true)
    let context = store.context()
    for day in [0.0, 1_000] { context.insert(Booking(Date(timeIntervalSinceReferenceDate: day))) }
    try context.save()
    let limit = Date(timeIntervalSinceReferenceDate: 500)
    let late = FetchDescriptor<Booking>(predicate: #Predicate { $0._made > limit }, sortBy: [SortDescriptor(\._made)])
    #expect(try store.context().fetchCount(late) == 1)
    let booked = FetchDescriptor<Ticket>(predicate: #Predicate { $0._booking?._made == limit })
    #expect(try store.context().fetchCount(booked) == 0)
  }
}
