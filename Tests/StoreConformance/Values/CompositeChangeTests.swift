import SwiftData
import Testing

@Suite("Composite values that change", .serialized)
struct CompositeChangeTests {
  private func store(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, site: Site) {
    let store = try TestStore(engine, [Site.self])
    let context = store.context()
    let site = Site(1, Address("Oslo", latitude: 1, longitude: 2))
    context.insert(site)
    try context.save()
    return (store, context, site)
  }

  private func only(_ context: ModelContext) throws -> Site {
    try #require(try context.fetch(FetchDescriptor<Site>()).first)
  }

  @Test("a changed member is stored", arguments: Engine.allCases)
  func member(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    site.address.point.longitude = 9
    site.address.region.zip = 7
    #expect(context.hasChanges)
    try context.save()
    try store.reopen()
    let found = try only(store.context())
    #expect(found.address == Address("Oslo", latitude: 1, longitude: 9, zip: 7))
  }

  @Test("an optional value can be set and set to nil", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    for value in [Address.extreme, nil, Address("x")] {
      site.former = value
      site.formerRegion = value.map { _ in Region() }
      try context.save()
      let found = try only(store.context())
      #expect(found.former == value)
      #expect(found.formerRegion == (value == nil ? nil : Region()))
    }
  }

  @Test("another context's save notifies observers of the value", arguments: Engine.allCases)
  func refreshed(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    let other = store.context()
    try only(other).address.city = "Bergen"
    try other.save()
    let changed = changeFlag { _ = site.address }
    let unchanged = changeFlag { _ = (site.region, site.former, site.formerRegion) }
    _ = try context.fetch(FetchDescriptor<Site>())
    #expect(site.address.city == "Bergen")
    #expect(changed.isRaised)
    #expect(!unchanged.isRaised)
  }

  @Test("a fetch of unchanged values notifies no observer", arguments: Engine.allCases)
  func unchanged(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    site.address = .extreme
    site.former = .extreme
    site.formerRegion = Region()
    try context.save()
    let flag = changeFlag { _ = (site.address, site.former, site.region, site.formerRegion) }
    _ = try context.fetch(FetchDescriptor<Site>())
    #expect(!flag.isRaised)
    let other = store.context()
    try only(other).formerRegion = nil
    try other.save()
    _ = try context.fetch(FetchDescriptor<Site>())
    #expect(flag.isRaised && site.formerRegion == nil)
  }

  @Test("a different sign of zero is a change", arguments: Engine.allCases)
  func signOfZero(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    site.address.point.latitude = 0
    try context.save()
    let other = store.context()
    try only(other).address.point.latitude = -0.0
    try other.save()
    _ = try context.fetch(FetchDescriptor<Site>())
    #expect(site.address.point.latitude.sign == .minus)
  }

  @Test(
    "a refresh keeps unsaved values, and reads the properties after them from their own columns",
    arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    let other = store.context()
    let theirs = try only(other)
    theirs.address.city = "theirs"
    theirs.formerRegion = Region(code: "x", zip: nil)
    theirs.access = .fee(3, note: nil)
    try other.save()
    site.address.city = "mine"
    _ = try context.fetch(FetchDescriptor<Site>())
    #expect(site.address.city == "mine")
    #expect(site.formerRegion == Region(code: "x", zip: nil))
    #expect(site.access == .fee(3, note: nil))
    context.rollback()
    #expect(site.address.city == "theirs")
  }

  @Test("a partial fetch reads the other properties on first access", arguments: Engine.allCases)
  func partial(_ engine: Engine) throws {
    let (store, context, site) = try store(engine)
    site.former = .extreme
    try context.save()
    var descriptor = FetchDescriptor<Site>()
    descriptor.propertiesToFetch = [\.former]
    let found = try #require(try store.context().fetch(descriptor).first)
    #expect(found.former == .extreme)
    #expect(found.address == site.address && found.position == 1)
  }

  @Test("a column that cannot be read leaves only its own property unread")
  func damaged() throws {
    let (store, context, site) = try store(.file)
    let former = Address("", longitude: 7)
    site.former = former
    try context.save()
    for statement in [
      "UPDATE Site SET address_climate = 'hot'", "UPDATE Site SET address_tags = 'garbage'",
      "UPDATE Site SET former_floor = 1000", "UPDATE Site SET former_point_longitude = NULL",
    ] {
      try store.tamper(statement)
      let property = statement.contains("former") ? "former" : "address"
      #expect(try context.fetch(FetchDescriptor<Site>()).count == 1)
      #expect(context.unreadValues.map(\.propertyName) == [property])
      let fresh = store.context()
      let same = try #require(try fresh.fetch(FetchDescriptor<Site>()).first)
      #expect(fresh.unreadValues.map(\.propertyName) == [property])
      for site in [site, same] {
        #expect(property == "address" || site.address.city == "Oslo")
        #expect(property == "former" ? site.former == nil : site.former == former)
      }
      try store.tamper(
        "UPDATE Site SET address_climate = 'dry', address_tags = '[]', former_floor = 0, former_point_longitude = 7")
      #expect(site.address.city == "Oslo" && site.former == former)
    }
  }
}
