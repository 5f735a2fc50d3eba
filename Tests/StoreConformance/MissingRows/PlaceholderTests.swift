import ConformanceSupport
import SwiftData
import Testing

@Suite("Placeholder values that properties return when their row was deleted")
struct PlaceholderTests {
  private func explanation(_ engine: Engine, _ models: [any PersistentModel.Type]) -> String {
    let error = #expect(throws: SwiftDataError.self) { try TestStore(engine, models) }
    #expect(error == .invalidSchema)
    return error?.explanation ?? ""
  }

  @Test(
    "creating a container throws if no placeholder can be created for a property", arguments: Engine.allCases)
  func refused(_ engine: Engine) {
    let text = explanation(engine, [Unplaceable.self])
    let way = "Give the property a default, or make it optional."
    func line(_ name: String, _ type: String, _ reason: String) -> String {
      "Unplaceable.\(name): when a row is gone, some value of type \(type) has to stand in for it, and none can be made: "
        + "\(reason). \(way)"
    }
    #expect(
      text.split(separator: "\n").map(String.init) == [
        line("ticket", "Ticket", "its init(from:) refuses empty values"),
        line("stamp", "InkStamp", "it is not Decodable, and its transformer makes none of nil"),
        line(
          "seat", "TheatreSeat", "Ticket, the type of its member holder.ticket, refuses empty values in init(from:)"),
      ])
  }

  @Test(
    "the error names a subclass's property without a placeholder once, together with the subclass",
    arguments: Engine.allCases)
  func inherited(_ engine: Engine) {
    let text = explanation(engine, [Carriage.self, Omnibus.self])
    #expect(text.hasPrefix("Omnibus.ticket: when a row is gone"))
    #expect(!text.contains("\n"))
  }

  @Test(
    "a property with a default, an optional type or a collection type has a placeholder", arguments: Engine.allCases)
  func accepted(_ engine: Engine) throws {
    let store = try TestStore(engine, [Placeable.self])
    let placeable = Placeable(tickets: [Ticket("number 1")], byName: ["a": Ticket("number 2")])
    placeable.ticket = Ticket("number 3")
    placeable.stamp = InkStamp(1)
    let standIn = try standIn(for: placeable, in: store)
    #expect(standIn.ticket.code == "default")
    #expect(standIn.spare == nil)
    #expect(standIn.stamp.ink == 7)
    #expect(standIn.second == nil)
    #expect(standIn.seat.holder.ticket.code == "seated")
    #expect(standIn.tickets.isEmpty)
    #expect(standIn.byName.isEmpty)
  }

  @Test("properties of common types have a placeholder even without a default", arguments: Engine.allCases)
  func everyday(_ engine: Engine) throws {
    let standIn = try standIn(for: Everyday(), in: TestStore(engine, [Everyday.self]))
    #expect(standIn.item.name == "")
    #expect(standIn.item.kind == .large)
    #expect(standIn.item.zone == .gmt)
    #expect(standIn.box.kind == .large)
    #expect(standIn.box.items.isEmpty)
    #expect(standIn.box.next == nil)
    if case .text(let text) = standIn.step { #expect(text == "") } else { Issue.record("another case") }
    if case .leaf(let text) = standIn.tree { #expect(text == "") } else { Issue.record("another case") }
    #expect(standIn.zone == .gmt)
    #expect(standIn.calendar.identifier == .gregorian)
    #expect(standIn.components == DateComponents())
    #expect(standIn.address.path.isEmpty)
    #expect(standIn.indexes.isEmpty)
    #expect(standIn.half.isEmpty)
    #expect(standIn.pause == .zero)
    #expect(standIn.legs == Legs(stops: [], first: Legs.Leg(name: "", length: nil)))
    #expect(standIn.list.count == 0)
    #expect(standIn.word.length == 0)
    #expect(standIn.locale == Locale(identifier: ""))
    #expect(standIn.interval.duration == 0)
    #expect(!standIn.characters.contains("a"))
    #expect(standIn.length.value == 0)
    #expect(standIn.named.givenName ?? "" == "")
    #expect(standIn.range.contains(standIn.range.lowerBound))
    #expect(standIn.language.maximalIdentifier == standIn.language.maximalIdentifier)
  }

  @Test(
    "if a struct cannot be decoded, its placeholder is composed of placeholders for its fields",
    arguments: Engine.allCases)
  func byFields(_ engine: Engine) throws {
    // Uses up the only successful decoding of the process, in case no other test has done so before.
    _ = try? JSONDecoder().decode(Fickle.self, from: Data("{}".utf8))
    let store = try TestStore(engine, [Moody.self])
    for _ in 0..<3 {
      let before = Fickle.decodings
      let standIn = try standIn(for: Moody(), in: store)
      #expect(standIn.fickle.name == "")
      #expect(standIn.fickle.notes == nil)
      #expect(Fickle.decodings > before)
    }
  }

  @Test(
    "creating a container throws if a class can be decoded only once, because each placeholder needs a new object",
    arguments: Engine.allCases)
  func once(_ engine: Engine) {
    #expect(explanation(engine, [Resentful.self]).hasPrefix("Resentful.grudging: when a row is gone"))
  }

  @Test(
    "reading a placeholder does not trap if its class can no longer be decoded after the container was created",
    arguments: Engine.allCases)
  func refusingLater(_ engine: Engine) throws {
    let store = try TestStore(engine, [Undecided.self])
    let standIns = try (0..<3).map { _ in try standIn(for: Undecided(), in: store).wavering }
    // The placeholders share the object that the container decoded, because the class throws for another decoding.
    #expect(Set(standIns.map { ObjectIdentifier($0) }).count == 1)
  }

  @Test("placeholders of different contexts share no object", arguments: Engine.allCases)
  func own(_ engine: Engine) throws {
    let store = try TestStore(engine, [Writer.self])
    let context = store.context()
    let writer = Writer()
    context.insert(writer)
    try context.save()
    let identifier = writer.persistentModelID
    context.delete(writer)
    try context.save()
    let contexts = (0..<3).map { _ in store.context() }
    let standIns = try contexts.map { try #require($0.model(for: identifier) as? Writer) }
    #expect(standIns.map { $0.spare.pages } == Array(repeating: ["spare"], count: 3))
    #expect(standIns.map { $0.shelf.map(\.pages) } == Array(repeating: [["shelf"]], count: 3))
    let notebooks = standIns.flatMap(\.notebooks)
    #expect(Set(notebooks.map { ObjectIdentifier($0) }).count == notebooks.count)
    for notebook in notebooks { notebook.pages.append("changed") }
    let untouched = try #require(store.context().model(for: identifier) as? Writer)
    #expect(untouched.notebooks.map(\.pages) == [[], [], ["spare"], ["shelf"]])
  }

  @Test("the placeholder for a missing row returns placeholders for its related models", arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let store = try TestStore(engine, [Ticketless.self, Placeable.self])
    let traveller = Ticketless(Placeable(tickets: [], byName: [:]))
    let standIn = try standIn(for: traveller, in: store)
    #expect(standIn.place.ticket.code == "default")
    #expect(standIn.places.isEmpty)
  }

  @Test(
    "placeholders of models with hand-written conformance use defaults, even a literal of another type",
    arguments: Engine.allCases)
  func byHand(_ engine: Engine) throws {
    let standIn = try standIn(for: Whittled(price: 3), in: TestStore(engine, [Whittled.self, Moody.self]))
    #expect(standIn.price == 5)
    #expect(standIn.ticket.code == "default")
    #expect(standIn.parts.isEmpty)
  }

  @Test("for a model with hand-written conformance, placeholders use the defaults from the container's creation")
  func fadedByHand() throws {
    let store = try TestStore(.memory, [Fading.self])
    let context = store.context()
    let fading = Fading(Ticket("number 1"))
    context.insert(fading)
    try context.save()
    let identifier = fading.persistentModelID
    context.delete(fading)
    try context.save()
    Fading.hasFaded.raise()
    let standIn = try #require(store.context().model(for: identifier) as? Fading)
    #expect(standIn.isDeleted && standIn.ticket.code == "default")
  }

  @Test("if the row of an unread object is deleted, the object returns placeholder values", arguments: Engine.allCases)
  func vanished(_ engine: Engine) throws {
    let store = try TestStore(engine, [Ticketless.self, Placeable.self])
    let context = store.context()
    context.insert(Ticketless(Placeable(tickets: [], byName: [:])))
    try context.save()
    let reader = store.context()
    let fault = try #require(try reader.fetch(FetchDescriptor<Ticketless>()).first).place
    try context.delete(model: Ticketless.self)
    try context.delete(model: Placeable.self)
    try context.save()
    #expect(fault.ticket.code == "default")
    #expect(fault.stamp.ink == 7)
  }

  /// Saves and deletes the model, and returns the placeholder that `model(for:)` of another context returns for its
  /// identifier.
  private func standIn<M: PersistentModel>(for model: M, in store: TestStore) throws -> M {
    let context = store.context()
    context.insert(model)
    try context.save()
    let identifier = model.persistentModelID
    context.delete(model)
    try context.save()
    let standIn = try #require(store.context().model(for: identifier) as? M)
    #expect(standIn.isDeleted)
    return standIn
  }
}

@Model
final class Ticketless {
  var place: Placeable
  var places: [Placeable]
  init(_ place: Placeable) {
    self.place = place
    places = []
  }
}

/// A model with hand-written conformance, whose metadata contains a default until `hasFaded` is raised.
final class Fading: PersistentModel {
  static let hasFaded = Flag()

  var persistentBackingData: any BackingData<Fading>

  init(backingData: any BackingData<Fading>) { persistentBackingData = backingData }

  init(_ ticket: Ticket) {
    persistentBackingData = Fading.createBackingData()
    self.ticket = ticket
  }

  var ticket: Ticket {
    get { getValue(forKey: \.ticket) }
    set { setValue(forKey: \.ticket, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    let standard = hasFaded.isRaised ? nil : Ticket("default")
    return [Schema.PropertyMetadata(name: "ticket", keypath: \Fading.ticket, defaultValue: standard, metadata: nil)]
  }
}
