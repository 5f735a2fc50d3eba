import SwiftData
import Testing

@Model private class Barge {
  var name: String
  var harbour: Marina?
  init(_ name: String) { self.name = name }
}

@Model private final class Ketch: Barge {
  var seats: Int
  init(_ name: String, seats: Int) {
    self.seats = seats
    super.init(name)
  }
}

@Model private final class Marina {
  var place: String
  init(_ place: String) { self.place = place }
}

/// Apple's `@Model` macro generates initialisers of subclasses that call these functions to share backing data with the
/// superclass.
@Suite("Backing data of superclasses and subclasses")
struct InheritedBackingDataTests {
  @Test("Backing data for the superclass reads and writes the same values as backing data for the subclass")
  func superclass() {
    let data: any BackingData<Ketch> = Ketch.createBackingData()
    data.setValue(forKey: \.name, to: "Norrland")
    data.setValue(forKey: \.seats, to: 400)
    let inherited: any BackingData<Barge> = data._superClassBackingData(of: Ketch.self)
    #expect(inherited.getValue(forKey: \.name) == "Norrland")
    inherited.setValue(forKey: \.name, to: "Gotland")
    #expect(data.getValue(forKey: \.name) == "Gotland")
    #expect(data.getValue(forKey: \.seats) == 400)
    let harbour = Marina("Visby")
    inherited.setValue(forKey: \.harbour, to: harbour)
    #expect(data.getValue(forKey: \.harbour) === harbour)
    #expect((inherited.metadata as? [Schema.PropertyMetadata])?.count == 2)
    #expect(inherited.persistentModelID == nil)
  }

  @Test(
    "Backing data for a subclass reads and writes inherited values and the subclass's own values",
    arguments: Engine.allCases)
  func subclass(_ engine: Engine) throws {
    let store = try TestStore(engine, [Barge.self, Ketch.self, Marina.self])
    let context = store.context()
    let ferry = Ketch("Norrland", seats: 400)
    context.insert(ferry)
    try context.save()
    let editing = store.context()
    let found = try #require(try editing.fetch(FetchDescriptor<Barge>()).first)
    let own: any BackingData<Ketch> = found.persistentBackingData._generateCurrentClassBackingData()
    #expect(own.getValue(forKey: \.name) == "Norrland")
    #expect(own.getValue(forKey: \.seats) == 400)
    #expect(own.persistentModelID == ferry.persistentModelID)
    own.setValue(forKey: \.seats, to: 500)
    own.setValue(forKey: \.name, to: "Gotland")
    let saved = try #require(found as? Ketch)
    #expect(saved.seats == 500 && saved.name == "Gotland")
    try editing.save()
    let again = try #require(try store.context().fetch(FetchDescriptor<Ketch>()).first)
    #expect(again.seats == 500 && again.name == "Gotland")
  }

  @Test(
    "A model can be created from backing data for its superclass, and backing data for the same class shares the values"
  )
  func models() {
    let data: any BackingData<Ketch> = Ketch.createBackingData()
    data.setValue(forKey: \.name, to: "Norrland")
    data.setValue(forKey: \.seats, to: 400)
    let inherited: any BackingData<Barge> = data._superClassBackingData(of: Ketch.self)
    let ferry = Ketch(backingData: inherited)
    #expect(ferry.name == "Norrland" && ferry.seats == 400)
    let same: any BackingData<Ketch> = data._generateCurrentClassBackingData()
    same.setValue(forKey: \.seats, to: 1)
    #expect(data.getValue(forKey: \.seats) == 1)
  }

  @Test("Backing data returns the default for a property without a value")
  func missing() {
    let data: any BackingData<Marina> = Marina.createBackingData()
    let other: any BackingData<Barge> = data._generateCurrentClassBackingData()
    #expect(other.getValue(forKey: \.name) == "")
    #expect(other.getValue(forKey: \.harbour) == nil)
  }
}
