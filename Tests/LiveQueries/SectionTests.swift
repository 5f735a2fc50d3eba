import OpenSwiftData
import Testing

@Suite("Sections of observed results")
struct SectionTests {
  private func cities(
    _ context: ModelContext, _ order: [SortDescriptor<Club>] = [SortDescriptor(\.name)]
  ) throws -> ResultsObserver<Club, String> {
    try ResultsObserver(sortBy: order, sectionBy: \.city, modelContext: context)
  }

  private func fill(_ context: ModelContext, _ clubs: [(name: String, city: String?)]) throws {
    for club in clubs { context.insert(Club(club.name, city: club.city)) }
    try context.save()
  }

  private func names(_ observer: ResultsObserver<Club, String>) throws -> [[String]] {
    try #require(observer.sections).map { [$0.title] + $0.map(\.name) }
  }

  @Test(
    "sections are sorted by title; models whose section value is nil are in the section with the empty title",
    arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    try fill(
      store.context(), [("Roma", "Rome"), ("Free", nil), ("Ajax", "Amsterdam"), ("Lazio", "Rome"), ("Bare", "")])
    let observer = try cities(store.context())
    #expect(try names(observer) == [["", "Free", "Bare"], ["Amsterdam", "Ajax"], ["Rome", "Lazio", "Roma"]])
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "Amsterdam", "Rome"])
    #expect(sections.map(\.id) == sections.sectionTitles)
    #expect(sections.index(ofSectionTitled: "Rome") == 2)
    #expect(sections.index(ofSectionTitled: "Oslo") == nil)
    #expect(sections[sectionTitle: "Rome"]?.map(\.name) == ["Lazio", "Roma"])
    #expect(sections[sectionTitle: "Oslo"] == nil)
    #expect(observer.results.map(\.name) == ["Free", "Bare", "Ajax", "Lazio", "Roma"])
    #expect(observer.sectionBy == \Club.city)
  }

  @Test("sections reflect saves of other contexts and unsaved changes", arguments: Engine.allCases)
  func changes(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    let context = store.context()
    try fill(context, [("Roma", "Rome"), ("Ajax", "Amsterdam")])
    let observer = try cities(context)
    #expect(try names(observer) == [["Amsterdam", "Ajax"], ["Rome", "Roma"]])
    let other = store.context()
    // The models stay in the same order. Only the title of one section changes.
    let flag = changeFlag { _ = observer.sections }
    try other.club("Roma").city = "Ostia"
    try other.save()
    #expect(try names(observer) == [["Amsterdam", "Ajax"], ["Ostia", "Roma"]])
    #expect(flag.isRaised)
    try context.club("Ajax").city = "Ostia"
    #expect(try names(observer) == [["Ostia", "Ajax", "Roma"]])
    context.insert(Club("Lazio", city: "Rome"))
    #expect(try names(observer) == [["Ostia", "Ajax", "Roma"], ["Rome", "Lazio"]])
    context.rollback()
    #expect(try names(observer) == [["Amsterdam", "Ajax"], ["Ostia", "Roma"]])
  }

  @Test(
    "an index path consists of the section's index and the model's index in the section", arguments: Engine.allCases)
  func indexPaths(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    let context = store.context()
    try fill(context, [("Roma", "Rome"), ("Ajax", "Amsterdam"), ("Lazio", "Rome")])
    let observer = try cities(context)
    let roma = try context.club("Roma")
    #expect(observer.indexPath(for: roma) == IndexPath(indexes: [1, 1]))
    #expect(observer.element(at: IndexPath(indexes: [1, 1])) === roma)
    for path in [[], [0], [2, 0], [0, 1], [1, -1], [0, 0, 0]] as [[Int]] {
      #expect(observer.element(at: IndexPath(indexes: path)) == nil)
    }
    #expect(observer.indexPath(for: try store.context().club("Roma")) == nil)
    let new = Club("Oslo", city: "Oslo")
    #expect(observer.indexPath(for: new) == nil)
    context.insert(new)
    #expect(observer.indexPath(for: new) == IndexPath(indexes: [1, 0]))
    #expect(observer.indexPath(for: roma) == IndexPath(indexes: [2, 1]))
    let plain = try ResultsObserver<Club, Never>(modelContext: context)
    #expect(plain.indexPath(for: roma) == nil)
    #expect(plain.element(at: IndexPath(indexes: [0, 0])) == nil)
  }

  @Test(
    "every sort order of the observer begins with the section's key path, which is not inserted twice",
    arguments: Engine.allCases)
  func prepended(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    try fill(store.context(), [("Roma", "Rome"), ("Ajax", "Amsterdam"), ("Lazio", "Rome")])
    let observer = try cities(store.context())
    #expect(observer.sortBy.map(\.keyPath) == [\Club.city, \Club.name])
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.sortBy.map(\.keyPath) == [\Club.city, \Club.name])
    #expect(try names(observer) == [["Amsterdam", "Ajax"], ["Rome", "Roma", "Lazio"]])
    observer.sortBy = [SortDescriptor(\.city, order: .reverse), SortDescriptor(\.name)]
    #expect(observer.sortBy.count == 2)
    #expect(try names(observer) == [["Rome", "Lazio", "Roma"], ["Amsterdam", "Ajax"]])
    observer.filterBy = #Predicate { $0.name != "Ajax" }
    #expect(try names(observer) == [["Rome", "Lazio", "Roma"]])
  }

  @Test("sections can be formed by a computed property", arguments: Engine.allCases)
  func computed(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine, "Bari", "Ajax", "Aarau")
    let context = store.context()
    let observer = try ResultsObserver<Club, String>(
      fetchDescriptor: FetchDescriptor(sortBy: [SortDescriptor(\.name)]), sectionBy: \.initial, modelContext: context)
    #expect(try names(observer) == [["A", "Aarau", "Ajax"], ["B", "Bari"]])
    let other = store.context()
    try other.club("Ajax").name = "Benfica"
    try other.save()
    #expect(try names(observer) == [["A", "Aarau"], ["B", "Bari", "Benfica"]])
  }

  @Test("all twelve initialisers create sections", arguments: Engine.sqlite)
  func initialisers(_ engine: Engine) throws {
    let store = try TestStore.clubs(engine)
    let context = store.context()
    try fill(context, [("Roma", "Rome"), ("Ajax", nil)])
    let container = store.container
    let descriptor = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.name)])
    let plain: [ResultsObserver<Club, Never>] = [
      try ResultsObserver(fetchDescriptor: descriptor, modelContext: context),
      try ResultsObserver(fetchDescriptor: descriptor, modelContainer: container),
      try ResultsObserver(filterBy: nil, sortBy: [SortDescriptor(\.name)], modelContext: context),
      try ResultsObserver(filterBy: nil, sortBy: [SortDescriptor(\.name)], modelContainer: container),
    ]
    for observer in plain { #expect(observer.results.map(\.name) == ["Ajax", "Roma"]) }
    let byName: [ResultsObserver<Club, String>] = [
      try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.name, modelContext: context),
      try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.name, modelContainer: container),
      try ResultsObserver(sectionBy: \.name, modelContext: context),
      try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: \.name, modelContainer: container),
    ]
    for observer in byName { #expect(try names(observer) == [["Ajax", "Ajax"], ["Roma", "Roma"]]) }
    let byCity: [ResultsObserver<Club, String>] = [
      try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.city, modelContext: context),
      try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.city, modelContainer: container),
      try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: \.city, modelContext: context),
      try ResultsObserver(filterBy: nil, sortBy: nil, sectionBy: \.city, modelContainer: container),
    ]
    for observer in byCity { #expect(try names(observer) == [["", "Ajax"], ["Rome", "Roma"]]) }
    #expect(plain[0].modelContext === context && plain[1].modelContext !== context)
  }
}
