import OpenSwiftData
import Testing

/// The observers of these tests belong to nonisolated code. Their results are up to date at each read.
@Suite("The results of an observer")
struct ResultsObserverTests {
  private func observer(
    _ context: ModelContext, _ predicate: Predicate<Club>? = nil,
    sortBy: [SortDescriptor<Club>] = [SortDescriptor(\.rank)]
  ) throws -> ResultsObserver<Club, Never> {
    try ResultsObserver(filterBy: predicate, sortBy: sortBy, modelContext: context)
  }

  @Test("the results equal those of a fetch", arguments: Engine.allCases)
  func first(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari", "Como")
    let observer = try observer(store.context(), #Predicate { $0.rank > 0 })
    #expect(observer.names == ["Bari", "Como"])
    #expect(observer.results.endIndex == 2)
    #expect(observer.sections == nil)
    #expect(observer.sectionBy == nil)
    #expect(observer.fetchDescriptor.sortBy.count == 1)
  }

  @Test("the results include unsaved changes", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let observer = try observer(context, #Predicate { $0.rank < 10 })
    let ajax = try context.club("Ajax")
    ajax.rank = 5
    #expect(observer.names == ["Bari", "Ajax"])
    // The same property changes a second time before the save.
    ajax.rank = 0
    #expect(observer.names == ["Ajax", "Bari"])
    ajax.rank = 10
    #expect(observer.names == ["Bari"])
    context.insert(Club("Como", rank: -1))
    #expect(observer.names == ["Como", "Bari"])
    context.delete(try context.club("Bari"))
    #expect(observer.names == ["Como"])
    try context.save()
    #expect(observer.names == ["Como"])
    context.rollback()
    #expect(observer.names == ["Como"])
  }

  @Test("a rollback of unsaved changes restores the results", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let observer = try observer(context)
    try context.club("Ajax").rank = 7
    context.insert(Club("Como", rank: 3))
    context.delete(try context.club("Bari"))
    #expect(observer.names == ["Como", "Ajax"])
    context.rollback()
    #expect(observer.names == ["Ajax", "Bari"])
  }

  @Test("a transaction that throws restores the results", arguments: Engine.allCases)
  func undoneTransaction(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let observer = try observer(context)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(Club("Como", rank: -1))
        try context.save()
        #expect(observer.names == ["Como", "Ajax", "Bari"])
        try context.club("Ajax").rank = 9
        #expect(observer.names == ["Como", "Bari", "Ajax"])
        throw Failure()
      }
    }
    #expect(observer.names == ["Ajax", "Bari"])
  }

  @Test("the results reflect undo and redo", arguments: Engine.allCases)
  func undo(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    context.undoManager = UndoManager()
    let observer = try observer(context)
    try context.club("Ajax").rank = 9
    context.insert(Club("Como", rank: -1))
    context.delete(try context.club("Bari"))
    #expect(observer.names == ["Como", "Ajax"])
    context.undoManager?.undo()
    #expect(observer.names == ["Ajax", "Bari"])
    context.undoManager?.redo()
    #expect(observer.names == ["Como", "Ajax"])
  }

  @Test("the results reflect saves of other contexts", arguments: Engine.allCases)
  func otherContext(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let observer = try observer(store.context(), #Predicate { $0.rank < 10 })
    let other = store.context()
    other.insert(Club("Como", rank: -1))
    #expect(observer.names == ["Ajax", "Bari"])
    try other.save()
    #expect(observer.names == ["Como", "Ajax", "Bari"])
    try other.club("Ajax").rank = 3
    try other.save()
    #expect(observer.names == ["Como", "Bari", "Ajax"])
    other.delete(try other.club("Como"))
    try other.save()
    #expect(observer.names == ["Bari", "Ajax"])
    try other.transaction {
      other.insert(Club("Derby", rank: 1))
      try other.save()
      #expect(observer.names == ["Bari", "Ajax"])
      other.insert(Club("Elche", rank: -5))
    }
    #expect(observer.names == ["Elche", "Bari", "Derby", "Ajax"])
  }

  @Test("the results reflect batch deletions, cascades and the erasing of the store", arguments: Engine.allCases)
  func deletions(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let filler = store.context()
    for name in ["Ajax", "Bari"] {
      let club = try filler.club(name)
      for number in 0..<2 { club.footballers.append(Footballer("\(name)-\(number)")) }
    }
    try filler.save()
    let context = store.context()
    let footballers = try ResultsObserver<Footballer, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
    let clubs = try observer(store.context())
    let other = store.context()
    try other.delete(model: Club.self, where: #Predicate { $0.name == "Ajax" })
    try other.save()
    #expect(footballers.results.map(\.name) == ["Bari-0", "Bari-1"])
    #expect(clubs.names == ["Bari"])
    // The observer's own context deletes the clubs, first without and then with a save.
    try context.delete(model: Club.self)
    #expect(footballers.results.isEmpty)
    context.rollback()
    #expect(footballers.results.count == 2)
    context.delete(try context.club("Bari"))
    #expect(footballers.results.isEmpty)
    #expect(clubs.names == ["Bari"])
    try context.save()
    #expect(clubs.names.isEmpty)
    other.insert(Footballer("Free"))
    try other.save()
    #expect(footballers.results.map(\.name) == ["Free"])
    try store.container.erase()
    #expect(footballers.results.isEmpty)
  }

  @Test(
    "the results reflect changes of related models that the predicate or the sort order uses",
    arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let scorers = try observer(context, #Predicate { club in club.footballers.contains { $0.goals > 2 } })
    let supported = try observer(context, #Predicate { club in club.patrons.contains { $0.budget > 100 } })
    let footballers = try ResultsObserver<Footballer, Never>(
      sortBy: [SortDescriptor(\.club?.rank), SortDescriptor(\.name)], modelContext: context)
    let other = store.context()
    let ronaldo = Footballer("Ronaldo", goals: 1, club: try other.club("Bari"))
    other.insert(ronaldo)
    other.insert(Footballer("Adams", club: try other.club("Ajax")))
    try other.save()
    #expect(scorers.names == [])
    #expect(footballers.results.map(\.name) == ["Adams", "Ronaldo"])
    ronaldo.goals = 3
    try other.save()
    #expect(scorers.names == ["Bari"])
    ronaldo.club = try other.club("Ajax")
    try other.save()
    #expect(scorers.names == ["Ajax"])
    try other.club("Ajax").rank = 5
    try other.save()
    #expect(footballers.results.map(\.name) == ["Adams", "Ronaldo"])
    ronaldo.club = try other.club("Bari")
    try other.save()
    #expect(footballers.results.map(\.name) == ["Ronaldo", "Adams"])
    let patron = Patron("Bank", budget: 500)
    other.insert(patron)
    try other.save()
    #expect(supported.names == [])
    patron.clubs.append(try other.club("Bari"))
    try other.save()
    #expect(supported.names == ["Bari"])
    patron.budget = 50
    try other.save()
    #expect(supported.names == [])
    patron.budget = 500
    try other.club("Ajax").patrons.append(patron)
    try other.save()
    #expect(Set(supported.names) == ["Ajax", "Bari"])
    other.delete(patron)
    try other.save()
    #expect(supported.names == [])
    other.delete(ronaldo)
    try other.save()
    #expect(scorers.names == [])
    // The same changes, unsaved in the observer's own context.
    context.insert(Footballer("Best", goals: 9, club: try context.club("Bari")))
    #expect(scorers.names == ["Bari"])
  }

  @Test("the results can be sorted in memory, and can have a limit and an offset", arguments: Engine.allCases)
  func memory(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Como", "Bari", "Ajax")
    let context = store.context()
    let observer = try observer(context, sortBy: [SortDescriptor(\.initial)])
    #expect(observer.names == ["Ajax", "Bari", "Como"])
    let other = store.context()
    try other.club("Ajax").name = "Zeist"
    try other.save()
    #expect(observer.names == ["Bari", "Como", "Zeist"])
    var window = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])
    (window.fetchLimit, window.fetchOffset) = (1, 1)
    let part = try ResultsObserver<Club, Never>(fetchDescriptor: window, modelContext: context)
    #expect(part.names == ["Como"])
    other.insert(Club("Aalst"))
    try other.save()
    #expect(part.names == ["Bari"])
  }

  @Test("the results reflect a row that an upsert of another context replaced", arguments: Engine.allCases)
  func upsert(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    let context = store.context()
    context.insert(Patron("Bank", budget: 1))
    try context.save()
    let observer = try ResultsObserver<Patron, Never>(
      filterBy: #Predicate { $0.budget > 10 }, modelContext: store.context())
    #expect(observer.results.isEmpty)
    let other = store.context()
    other.insert(Patron("Bank", budget: 20))
    try other.save()
    #expect(observer.results.map(\.name) == ["Bank"])
  }

  @Test("the results reflect a new predicate and a new sort order immediately", arguments: Engine.allCases)
  func changed(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari", "Como")
    let context = store.context()
    let observer = try observer(context)
    let flag = changeFlag { _ = observer.results }
    observer.filterBy = #Predicate { $0.name != "Bari" }
    #expect(flag.isRaised)
    #expect(observer.names == ["Ajax", "Como"])
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.names == ["Como", "Ajax"])
    #expect(observer.fetchDescriptor.predicate != nil)
    // The observer also notices changes of properties that only the new predicate uses.
    try context.club("Bari").name = "Derby"
    #expect(observer.names == ["Derby", "Como", "Ajax"])
    observer.filterBy = nil
    #expect(observer.names == ["Derby", "Como", "Ajax"])
  }

  @Test("without an executor, a context publishes the results at its next operation", arguments: Engine.allCases)
  func nextOperation(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax")
    let context = store.context()
    let observer = try observer(context)
    let unsaved = changeFlag { _ = observer.results }
    context.insert(Club("Bari", rank: 3))
    #expect(!unsaved.isRaised)
    _ = try context.fetchCount(FetchDescriptor<Footballer>())
    #expect(unsaved.isRaised)
    let other = store.context()
    let elsewhere = changeFlag { _ = observer.results }
    other.insert(Club("Como", rank: 4))
    try other.save()
    #expect(!elsewhere.isRaised)
    _ = try context.fetchCount(FetchDescriptor<Footballer>())
    #expect(elsewhere.isRaised)
    #expect(observer.names == ["Ajax", "Bari", "Como"])
  }

  @Test(
    "if the program has assigned other results, the next change restores the results of the query",
    arguments: Engine.allCases)
  func replaced(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let (observer, other) = (try observer(context), try observer(context, #Predicate { $0.name == "Bari" }))
    observer.results = other.results
    #expect(observer.names == ["Bari"])
    try context.club("Ajax").rank = -4
    #expect(observer.names == ["Ajax", "Bari"])
  }

  @Test("the observer keeps the model objects of its results alive", arguments: Engine.allCases)
  func kept(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax", "Bari")
    let context = store.context()
    let observer = try observer(context)
    weak let ajax = observer.results.first
    let flag = changeFlag { _ = observer.results.first?.notes }
    #expect(ajax != nil)
    let other = store.context()
    try other.club("Ajax").notes = "old"
    other.insert(Club("Como", rank: 8))
    try other.save()
    // The query does not use the changed property, so the model notifies its observers, and the results stay the same.
    #expect(observer.names == ["Ajax", "Bari", "Como"])
    #expect(flag.isRaised)
    #expect(observer.results.first === ajax)
    #expect(ajax?.notes == "old")
  }

  @Test("the observer's initialiser throws if the model is not in the schema", arguments: Engine.sqlite)
  func unknown(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    #expect(throws: SwiftDataError.unknownSchema) {
      try ResultsObserver<Stranger, Never>(modelContext: store.context())
    }
  }

  @Test("an observer keeps neither itself nor its context alive", arguments: Engine.allCases)
  func released(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Ajax")
    weak var context: ModelContext?
    weak var observer: ResultsObserver<Club, Never>?
    let watchers = try #require(store.container.stores.stores.first).watchers
    try {
      let own = store.context()
      let made = try self.observer(own)
      _ = made.results.map(\.name)
      try own.club("Ajax").rank = 5
      try own.save()
      (context, observer) = (own, made)
      #expect(!watchers.isEmpty)
    }()
    #expect(observer == nil)
    #expect(context == nil)
    #expect(watchers.isEmpty)
  }

  @Test(
    "the results contain no change of a transaction that throws, even if they were read during the transaction",
    arguments: Engine.allCases)
  func uncommittedRows(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "a")
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Club>(predicate: #Predicate { $0.rank > 5 }), modelContext: store.context())
    let writer = store.context()
    try? writer.transaction {
      try writer.club("a").rank = 6
      try writer.save()
      _ = observer.results.count
      throw Failure()
    }
    #expect(observer.names == [])
  }
}
