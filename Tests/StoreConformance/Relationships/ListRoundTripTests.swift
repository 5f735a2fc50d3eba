import SwiftData
import Testing

/// A save that changes the lists of many owners must not need a round trip for each owner.
@Suite("Round trips to the database for the lists of many owners", .serialized)
struct ListRoundTripTests {
  /// Creates a store, and saves the models that `make` returns for each of `count` numbers.
  private func store(_ count: Int, _ make: (String) -> [any PersistentModel]) throws -> TestStore {
    let store = try TestStore(.remote, graphModels)
    let context = store.context()
    for number in 0..<count {
      for model in make("\(number)") { context.insert(model) }
    }
    try context.save()
    return store
  }

  /// Expects that 30 owners take as many round trips as two.
  private func expectConstant(_ trips: (Int) throws -> Int) throws {
    let two = try trips(2)
    let many = try trips(30)
    #expect(many == two && two > 0)
  }

  @Test("saving a changed order of one-to-many lists takes as many round trips for many lists as for two")
  func moved() throws {
    try expectConstant { count in
      let store = try store(count) { [Shop($0, wares: named("abc") { Ware($0) })] }
      let context = store.context()
      for shop in try context.fetch(FetchDescriptor<Shop>()) { shop.wares.reverse() }
      let trips = try store.trips { try context.save() }
      for shop in try store.context().fetch(FetchDescriptor<Shop>()) { #expect(shop.wares.names == letters("cba")) }
      return trips
    }
  }

  @Test("saving changes of many-to-many lists takes as many round trips for many lists as for two")
  func pairs() throws {
    try expectConstant { count in
      let store = try store(count) { name in
        let student = Student(name)
        student.courses = named("abcd") { Course($0) }
        return [student, Course("e")]
      }
      let context = store.context()
      let electives = try context.fetch(FetchDescriptor<Course>(predicate: #Predicate { $0.name == "e" }))
      for (student, elective) in zip(try context.fetch(FetchDescriptor<Student>()), electives) {
        student.courses.removeFirst()
        student.courses.reverse()
        student.courses.insert(elective, at: 1)
      }
      let trips = try store.trips { try context.save() }
      for student in try store.context().fetch(FetchDescriptor<Student>()) {
        #expect(student.courses.names == letters("decb"))
      }
      return trips
    }
  }

  @Test("saving lists without an inverse takes as many round trips for many owners as for two")
  func oneWay() throws {
    try expectConstant { count in
      let store = try store(count) { name in
        let list = Playlist(name)
        list.songs = named("abc") { Song($0) }
        return [list]
      }
      let context = store.context()
      for list in try context.fetch(FetchDescriptor<Playlist>()) { list.songs.swapAt(0, 2) }
      let trips = try store.trips { try context.save() }
      for list in try store.context().fetch(FetchDescriptor<Playlist>()) { #expect(list.songs.names == letters("cba")) }
      return trips
    }
  }

  @Test("if older models are added to unread lists, the save reads the lists of all owners together")
  func unread() throws {
    try expectConstant { count in
      let store = try store(count) { [Ware("loose " + $0)] }
      let first = store.context()
      for number in 0..<count { first.insert(Shop("\(number)", wares: named("ab") { Ware($0) })) }
      try first.save()
      let context = store.context()
      let shops = try (0..<count).map { number -> Shop in
        let name = "\(number)"
        return try #require(try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.name == name })).first)
      }
      let loose = FetchDescriptor<Ware>(predicate: #Predicate { $0.name.starts(with: "loose") })
      var wanted: [String: [String]] = [:]
      for (ware, shop) in zip(try context.fetch(loose), shops) {
        ware.shop = shop
        wanted[shop.name] = ["a", "b", ware.name]
      }
      let trips = try store.trips { try context.save() }
      for shop in try store.context().fetch(FetchDescriptor<Shop>()) { #expect(shop.wares.names == wanted[shop.name]) }
      return trips
    }
  }

  @Test("counting the members of unread lists takes a save as many round trips for many owners as for two")
  func counted() throws {
    try expectConstant { count in
      let store = try store(count) { [Crew($0, sailors: [Sailor("a")])] }
      let context = store.context()
      let crews = try (0..<count).map { number -> Crew in
        let name = "\(number)"
        return try #require(try context.fetch(FetchDescriptor<Crew>(predicate: #Predicate { $0.name == name })).first)
      }
      for crew in crews {
        let sailor = Sailor("b")
        context.insert(sailor)
        sailor.crew = crew
      }
      let trips = try store.trips { try context.save() }
      #expect(crews.allSatisfy { $0.sailors.names == letters("ab") })
      return trips
    }
  }

  @Test("clearing references to many owners that another context deleted takes as many round trips as for two")
  func lostOwners() throws {
    try expectConstant { count in
      let store = try store(count) { [Shop($0), Ware($0)] }
      let (here, there) = (store.context(), store.context())
      let (shops, wares) = (try here.fetch(FetchDescriptor<Shop>()), try here.fetch(FetchDescriptor<Ware>()))
      for shop in try there.fetch(FetchDescriptor<Shop>()) { there.delete(shop) }
      try there.save()
      for (ware, shop) in zip(wares, shops) { ware.shop = shop }
      let trips = try store.trips { try here.save() }
      #expect(shops.allSatisfy { $0.isDeleted } && wares.allSatisfy { $0.shop == nil })
      for ware in try store.context().fetch(FetchDescriptor<Ware>()) { #expect(ware.shop == nil) }
      return trips
    }
  }

  @Test("deleting many owners, clearing references to them and cascading takes as many round trips as for two")
  func deleted() throws {
    try expectConstant { count in
      let store = try store(count) { name in
        let folder = Folder(name)
        folder.children = [Folder("child")]
        return [folder, Shop(name, wares: named("abc") { Ware($0) })]
      }
      let context = store.context()
      for shop in try context.fetch(FetchDescriptor<Shop>()) { context.delete(shop) }
      for folder in try context.fetch(FetchDescriptor<Folder>()) where folder.name != "child" { context.delete(folder) }
      let trips = try store.trips { try context.save() }
      let fresh = store.context()
      #expect(try fresh.fetchCount(FetchDescriptor<Folder>()) == 0)
      #expect(try fresh.fetch(FetchDescriptor<Ware>()).filter { $0.shop == nil }.count == 3 * count)
      return trips
    }
  }

  @Test(
    "if several owners have the same members, each owner and each member keeps its own order",
    arguments: Engine.allCases)
  func sharedMembers(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let first = store.context()
    let courses = named("abc") { Course($0) }
    for student in named("xyz", { Student($0) }) {
      first.insert(student)
      student.courses = courses
    }
    try first.save()
    let context = store.context()
    let orders = ["x": "cba", "y": "bca", "z": "abc"]
    for student in try context.fetch(FetchDescriptor<Student>()) {
      let held = student.courses
      student.courses = (orders[student.name] ?? "").compactMap { letter in held.first { $0.name == String(letter) } }
    }
    let course: Course = try context.one("a")
    let wanted = Array(course.students.names.reversed())
    course.students.reverse()
    try context.save()
    let fresh = store.context()
    for student in try fresh.fetch(FetchDescriptor<Student>()) {
      #expect(student.courses.names.joined() == orders[student.name])
    }
    #expect(try fresh.one("a", Course.self).students.names == wanted)
  }
}
