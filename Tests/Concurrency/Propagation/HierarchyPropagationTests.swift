import OpenSwiftData
import Testing

@Model class Ticket {
  var price: Int
  var holder: TicketHolder?

  init(price: Int) { self.price = price }
}

@Model final class TrainTicket: Ticket {
  var seat: Int

  init(price: Int, seat: Int) {
    self.seat = seat
    super.init(price: price)
  }
}

@Model final class TicketHolder {
  @Relationship(deleteRule: .cascade, inverse: \Ticket.holder) var tickets: [Ticket] = []

  init() {}
}

@Suite("Changes that other contexts saved in a hierarchy")
struct HierarchyPropagationTests {
  private func filled(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, [Ticket.self, TrainTicket.self, TicketHolder.self])
    let context = store.context()
    context.insert(Ticket(price: 1))
    context.insert(TrainTicket(price: 2, seat: 20))
    try context.save()
    return store
  }

  private func tickets(in context: ModelContext) throws -> [Ticket] {
    try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.price)]))
  }

  @Test("registered models of the base class and of subclasses get the changes", arguments: Engine.allCases)
  func changes(_ engine: Engine) throws {
    let store = try filled(engine)
    let (here, there) = (store.context(), store.context())
    let mine = try tickets(in: here)
    let theirs = try tickets(in: there)
    let train = try #require(mine[1] as? TrainTicket)
    let flag = changeFlag { _ = train.seat }
    theirs[0].price = 0
    (theirs[1] as? TrainTicket)?.seat = 21
    theirs[1].price = 3
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<TicketHolder>())
    #expect(mine.map(\.price) == [0, 3])
    #expect(train.seat == 21)
    #expect(flag.isRaised)
  }

  @Test(
    "registered models of deleted rows are marked as deleted, in every class", arguments: Engine.allCases,
    [false, true])
  func deletions(_ engine: Engine, byPredicate: Bool) throws {
    let store = try filled(engine)
    let (here, there) = (store.context(), store.context())
    let mine = try tickets(in: here)
    if byPredicate {
      try there.delete(model: Ticket.self)
    } else {
      for ticket in try tickets(in: there) { there.delete(ticket) }
    }
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<TicketHolder>())
    #expect(mine.map(\.isDeleted) == [true, true])
  }

  @Test("relationships to the base class get the changes", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try filled(engine)
    let (here, there) = (store.context(), store.context())
    let holder = TicketHolder()
    here.insert(holder)
    try here.save()
    #expect(holder.tickets.isEmpty)
    let theirs = try there.get(Model(holder))
    theirs.tickets = try tickets(in: there)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Ticket>())
    #expect(holder.tickets.map(\.price).sorted() == [1, 2])
    try there.delete(model: TrainTicket.self)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Ticket>())
    #expect(holder.tickets.map(\.price) == [1])
  }
}
