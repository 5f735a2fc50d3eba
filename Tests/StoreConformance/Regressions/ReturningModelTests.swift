import SwiftData
import Testing

/// How a new model leaves its context.
enum Leaving: String, CaseIterable {
  /// A transaction that saved the model is rolled back.
  case undone
  /// The context is rolled back.
  case rolledBack
  /// The model is deleted before its first save.
  case discarded
  /// The model is deleted after it was saved, and the deletion is saved.
  case deleted
}

@Suite("Regressions: models that are inserted again after they were removed from a context")
struct ReturningModelTests {
  /// Calls `relate`, which relates the model to others, and then removes the model from the context in the given way.
  private func leave(
    _ leaving: Leaving, _ context: ModelContext, _ model: some PersistentModel, relate: () -> Void
  ) throws {
    switch leaving {
    case .undone:
      do {
        try context.transaction {
          relate()
          try context.save()
          throw Failure()
        }
      } catch is Failure {}
    case .rolledBack:
      relate()
      context.rollback()
    case .discarded, .deleted:
      relate()
      if leaving == .deleted { try context.save() }
      context.delete(model)
      if leaving == .deleted { try context.save() }
    }
    #expect(model.modelContext == nil)
  }

  private func corner(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, shop: Shop) {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: [Ware("a")]))
    let context = store.context()
    return (store, context, try context.one("corner"))
  }

  /// A saved shop, and a new ware that was related to the shop and then removed from the context. If `isLoaded` is
  /// true, the shop's list is read first.
  private func wareThatLeft(
    _ engine: Engine, _ leaving: Leaving, isLoaded: Bool = false
  ) throws -> (store: TestStore, context: ModelContext, shop: Shop, ware: Ware) {
    let (store, context, shop) = try corner(engine)
    if isLoaded { #expect(shop.wares.names == ["a"]) }
    let ware = Ware("new")
    try leave(leaving, context, ware) { ware.shop = shop }
    return (store, context, shop, ware)
  }

  @Test(
    "a model that is inserted again does not refer to a model that was deleted meanwhile",
    arguments: Engine.allCases, Leaving.allCases)
  func deletedMeanwhile(_ engine: Engine, _ leaving: Leaving) throws {
    for isSaved in [false, true] {
      let (store, context, shop, ware) = try wareThatLeft(engine, leaving)
      context.delete(shop)
      if isSaved { try context.save() }
      context.insert(ware)
      #expect(ware.shop == nil)
      try context.save()
      #expect(try store.context().one("new", Ware.self).shop == nil)
    }
  }

  @Test(
    "a model that is inserted again loses its reference to a model that is deleted later", arguments: Engine.allCases,
    Leaving.allCases)
  func deletedLater(_ engine: Engine, _ leaving: Leaving) throws {
    for isLoaded in [false, true] {
      let (store, context, shop, ware) = try wareThatLeft(engine, leaving)
      if isLoaded { #expect(shop.wares.names == ["a"]) }
      context.insert(ware)
      #expect(ware.shop === shop)
      context.delete(shop)
      #expect(ware.shop == nil)
      try context.save()
      #expect(try store.context().one("new", Ware.self).shop == nil)
    }
  }

  @Test(
    "the list of a model that is inserted again contains each object once",
    arguments: Engine.allCases)
  func receiving(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let (shop, ware) = (Shop("new"), Ware("a"))
    context.insert(ware)
    try context.save()
    try leave(.rolledBack, context, shop) {
      context.insert(shop)
      shop.wares = [ware]
    }
    let others = [Ware("b"), Ware("c"), Ware("d")]
    others[0].shop = shop
    others[1].shop = shop
    #expect(shop.modelContext == nil)
    ware.shop = shop
    others[2].shop = shop
    #expect(shop.modelContext === context)
    #expect(shop.wares.names == letters("abcd"))
    try context.save()
    #expect(try store.context().one("new", Shop.self).wares.names.sorted() == letters("abcd"))
  }

  @Test(
    "a model that is inserted again loses its reference to a new model that is discarded later",
    arguments: Engine.allCases)
  func takenBackLater(_ engine: Engine) throws {
    let (store, context, _) = try corner(engine)
    let (shop, ware) = (Shop("new"), Ware("new"))
    context.insert(shop)
    try leave(.undone, context, ware) { ware.shop = shop }
    #expect(shop.modelContext === context)
    context.insert(ware)
    #expect(ware.shop === shop)
    context.delete(shop)
    #expect(ware.shop == nil)
    try context.save()
    #expect(try store.context().one("new", Ware.self).shop == nil)
  }

  @Test(
    "a model that is inserted again is in the lists of the models to which it refers", arguments: Engine.allCases,
    Leaving.allCases)
  func lists(_ engine: Engine, _ leaving: Leaving) throws {
    for isLoaded in [false, true] {
      let (store, context, shop, ware) = try wareThatLeft(engine, leaving, isLoaded: isLoaded)
      context.insert(ware)
      #expect(shop.wares.names == ["a", "new"])
      try context.save()
      #expect(shop.wares.names == ["a", "new"])
      #expect(try store.context().one("corner", Shop.self).wares.names == ["a", "new"])
    }
  }

  @Test(
    "the list of a model that is inserted again does not contain objects that moved to another list meanwhile",
    arguments: Engine.allCases, Leaving.allCases)
  func movedMeanwhile(_ engine: Engine, _ leaving: Leaving) throws {
    let (store, context, shop) = try corner(engine)
    let ware = try #require(shop.wares.first)
    let other = Shop("new")
    try leave(leaving, context, other) { ware.shop = other }
    ware.shop = shop
    try context.save()
    context.insert(other)
    #expect(other.wares.isEmpty && ware.shop === shop && shop.wares == [ware])
    try context.save()
    let fresh = store.context()
    #expect(try fresh.one("new", Shop.self).wares.isEmpty)
    #expect(try fresh.one("corner", Shop.self).wares.names == ["a"])
  }

  @Test(
    "a model that is inserted again has no many-to-many pairs with models that were deleted meanwhile",
    arguments: Engine.allCases, Leaving.allCases)
  func pairs(_ engine: Engine, _ leaving: Leaving) throws {
    for isSaved in [false, true] {
      let store = try TestStore(engine, graphModels)
      try store.keep(Course("x"), Course("y"))
      let context = store.context()
      let (gone, kept) = (try context.one("x", Course.self), try context.one("y", Course.self))
      let student = Student("new")
      try leave(leaving, context, student) { student.courses = [gone, kept] }
      context.delete(gone)
      if isSaved { try context.save() }
      context.insert(student)
      #expect(student.courses == [kept] && kept.students == [student])
      try context.save()
      #expect(try store.context().one("new", Student.self).courses.names == ["y"])
    }
  }

  @Test(
    "relating a removed model to the same objects again lists each object once", arguments: Engine.allCases,
    [Leaving.undone, .rolledBack, .discarded])
  func relatedAgain(_ engine: Engine, _ leaving: Leaving) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Course("x"), Ware("a"))
    let context = store.context()
    let (course, ware) = (try context.one("x", Course.self), try context.one("a", Ware.self))
    let (student, shop) = (Student("new"), Shop("new"))
    try leave(leaving, context, student) { student.courses = [course] }
    try leave(leaving, context, shop) { shop.wares = [ware] }
    course.students.append(student)
    ware.shop = shop
    #expect(student.courses == [course] && course.students == [student])
    #expect(shop.wares == [ware] && ware.shop === shop)
    try context.save()
    #expect(student.courses == [course] && shop.wares == [ware])
    #expect(try store.context().one("x", Course.self).students.names == ["new"])
  }

  @Test(
    "inserting a model again also inserts the new objects that were removed together with it",
    arguments: Engine.allCases,
    [Leaving.undone, .rolledBack])
  func together(_ engine: Engine, _ leaving: Leaving) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Student("Ada"))
    let context = store.context()
    let ada: Student = try context.one("Ada")
    let (course, student) = (Course("new"), Student("Bo"))
    try leave(leaving, context, course) {
      course.students = [student]
      context.insert(course)
    }
    #expect(student.modelContext == nil)
    course.students.append(ada)
    #expect(course.modelContext === context && student.modelContext === context)
    try context.save()
    #expect(ada.courses == [course] && student.courses == [course])
    #expect(try store.context().one("new", Course.self).students.names == ["Bo", "Ada"])
  }

  @Test("inserting a model whose deletion is pending returns it to its list", arguments: Engine.allCases)
  func takenBack(_ engine: Engine) throws {
    let (store, context, shop) = try corner(engine)
    let ware = try #require(shop.wares.first)
    context.delete(ware)
    context.insert(ware)
    #expect(ware.shop === shop && shop.wares == [ware])
    try context.save()
    #expect(try store.context().one("corner", Shop.self).wares.names == ["a"])
  }

  @Test(
    "the list of a model that is inserted after a rollback omits objects that were removed before the rollback",
    arguments: Engine.allCases)
  func staleList(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let wares = named("ab") { Ware($0) }
    let shop = Shop("new", wares: wares)
    context.insert(shop)
    wares[0].shop = nil
    context.rollback()
    context.insert(shop)
    #expect(shop.wares.names == ["b"])
    try context.save()
    #expect(try store.context().names(of: Ware.self) == ["b"])
  }
}

@Suite("Regressions: new models that are inserted because a registered object is added to their list")
struct JoiningListTests {
  @Test(
    "all members of the list are inserted, whether the list is changed in place or assigned",
    arguments: Engine.allCases, [1, 2, 300])
  func members(_ engine: Engine, count: Int) throws {
    for isInPlace in [true, false] {
      let store = try TestStore(engine, graphModels)
      try store.keep(Ware("old"))
      let context = store.context()
      let old: Ware = try context.one("old")
      let shop = Shop("new")
      for index in 0..<count { shop.wares.append(Ware("\(index)")) }
      if isInPlace { shop.wares.append(old) } else { shop.wares = shop.wares + [old] }
      #expect(shop.modelContext === context)
      #expect(shop.wares.allSatisfy { $0.modelContext === context && $0.shop === shop })
      #expect(context.insertedModelsArray.count == count + 1)
      try context.save()
      let names = (0..<count).map { "\($0)" } + ["old"]
      #expect(try store.context().one("new", Shop.self).wares.names == names)
    }
  }

  @Test(
    "new members that are added together with an object of a context are inserted",
    arguments: Engine.allCases, [true, false])
  func several(_ engine: Engine, isFirst: Bool) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Student("Ada"))
    let context = store.context()
    let ada: Student = try context.one("Ada")
    let (course, new) = (Course("x"), Student("Bo"))
    course.students.append(contentsOf: isFirst ? [ada, new] : [new, ada])
    #expect(new.modelContext === context)
    #expect(ada.courses == [course] && new.courses == [course])
    try context.save()
    #expect(try store.context().one("x", Course.self).students.names == (isFirst ? ["Ada", "Bo"] : ["Bo", "Ada"]))
  }

  @Test("a many-to-many pair that was removed at the inverse relationship is not saved", arguments: Engine.allCases)
  func pairTakenBack(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let (student, course) = (Student("Ada"), Course("x"))
    student.courses = [course]
    context.insert(student)
    course.students = []
    try context.save()
    #expect(student.courses.isEmpty)
    let fresh = store.context()
    #expect(try fresh.one("Ada", Student.self).courses.isEmpty)
    #expect(try fresh.one("x", Course.self).students.isEmpty)
  }
}
