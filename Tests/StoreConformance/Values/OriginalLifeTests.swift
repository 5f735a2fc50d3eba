import ConformanceSupport
import OpenSwiftData
import Testing

struct SpelledPlace: Codable, Hashable {
  var city: String
  var hint: String?
}

/// A model whose title is unique within a year.
@ModelValue @Model final class SpelledFilm {
  #Index<SpelledFilm>([\.title])
  #Unique<SpelledFilm>([\.title, \.year])
  var title: String
  var year: Int
  var note: String?
  var weight: Double
  var place: SpelledPlace
  @Relationship(inverse: \SpelledReel.films) var reels: [SpelledReel] = []

  init(_ title: String, _ year: Int = 1, note: String? = nil, weight: Double = 1) {
    (self.title, self.year, self.note, self.weight) = (title, year, note, weight)
    place = SpelledPlace(city: title, hint: note)
  }
}

@Model final class SpelledReel {
  @Attribute(.unique) var name: String
  var note: String
  var films: [SpelledFilm] = []

  init(_ name: String, note: String = "") { (self.name, self.note) = (name, note) }
}

private let filmModels: [any PersistentModel.Type] = [SpelledFilm.self, SpelledReel.self]
private let (apart, whole) = ("cafe\u{301}", "caf\u{E9}")

extension TestStore {
  fileprivate func saveFilms(_ films: SpelledFilm...) throws {
    let context = context()
    for film in films { context.insert(film) }
    try context.save()
  }

  fileprivate func films() throws -> [SpelledFilm] {
    try context().fetch(FetchDescriptor<SpelledFilm>(sortBy: [SortDescriptor(\.year), SortDescriptor(\.note)]))
  }
}

@Suite("Texts and zeros that are read as they were saved, although the column contains a normalised form", .serialized)
struct OriginalLifeTests {
  @Test("fetchValues, batches and enumerate return the original spelling", arguments: Engine.allCases)
  func otherReads(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    let context = store.context()
    for year in 0..<40 {
      let text = year % 3 == 0 ? apart : whole
      context.insert(SpelledFilm(text, year, note: year % 2 == 0 ? text : nil, weight: year % 3 == 0 ? -0.0 : 0))
    }
    try context.save()
    let descriptor = FetchDescriptor<SpelledFilm>(sortBy: [SortDescriptor(\.year)])
    let wanted = (0..<40).map { ExactText($0 % 3 == 0 ? apart : whole) }
    let values = try store.context().fetchValues(descriptor)
    #expect(values.map { ExactText($0.title) } == wanted && values.map { ExactText($0.place.city) } == wanted)
    #expect(values.filter { $0.weight.sign == .minus }.count == 14)
    let reading = store.context()
    let batches = try reading.fetch(descriptor, batchSize: 7)
    #expect(batches.map { ExactText($0.title) } == wanted)
    var seen: [ExactText] = []
    try store.context().enumerate(descriptor, batchSize: 7) { seen.append(ExactText($0.title)) }
    #expect(seen == wanted)
    let many = FetchDescriptor<SpelledFilm>(
      predicate: #Predicate { $0.title == whole }, sortBy: [SortDescriptor(\.year)])
    #expect(try store.context().fetchValues(many).map { ExactText($0.title) } == wanted)
  }

  @Test(
    "groups, minimum, maximum and distinct counts treat two spellings of a text as equal", arguments: Engine.allCases)
  func aggregates(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    try store.saveFilms(
      SpelledFilm(apart, 1), SpelledFilm(whole, 2), SpelledFilm("a", 3), SpelledFilm("x\u{323}\u{31B}", 4),
      SpelledFilm("x\u{31B}\u{323}", 5, weight: -0.0)
    )
    let context = store.context()
    func check() throws {
      let groups = try context.grouped(by: \SpelledFilm.title, .count)
      #expect(groups.map(\.key) == ["a", whole, "x\u{323}\u{31B}"] && groups.map(\.values) == [1, 2, 2])
      #expect(
        try context.min(of: \SpelledFilm.title) == "a" && context.max(of: \SpelledFilm.title) == "x\u{31B}\u{323}")
      #expect(try context.aggregate(SpelledFilm.self, .countDistinct(of: \.title)) == 3)
      #expect(try context.min(of: \SpelledFilm.weight) == 0)
      #expect(try context.grouped(by: \SpelledFilm.weight, .count).map(\.values) == [1, 4])
    }
    try check()
    // The same checks with a pending change, whose spelling differs from the spelling in its row.
    try #require(try context.fetch(FetchDescriptor<SpelledFilm>(predicate: #Predicate { $0.year == 1 })).first).title =
      whole
    try check()
  }

  @Test("members of many-to-many relationships have the original spelling", arguments: Engine.allCases)
  func pairs(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    let context = store.context()
    let reels = [SpelledReel("o\u{302}", note: apart), SpelledReel("plain", note: whole)]
    let films = [SpelledFilm(apart, 1), SpelledFilm(whole, 2)]
    for film in films {
      context.insert(film)
      film.reels = reels
    }
    try context.save()
    for film in try store.films() {
      let notes = film.reels.map { ExactText($0.note).description }
      #expect(Set(notes) == Set([apart, whole].map { ExactText($0).description }))
      #expect(film.reels.allSatisfy { $0.films.contains { ExactText($0.title) == ExactText(apart) } })
    }
  }

  @Test(
    "a unique constraint over several properties treats two spellings of a text as equal", arguments: Engine.allCases)
  func compoundUpserts(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    try store.saveFilms(SpelledFilm(apart, 1, note: apart), SpelledFilm(apart, 2, note: "o\u{302}"))
    try store.saveFilms(SpelledFilm(whole, 1, note: "u\u{308}"))
    let films = try store.films()
    #expect(films.map { ExactText($0.title) } == [whole, apart].map(ExactText.init))
    #expect(films.map { ExactText($0.note ?? "") } == ["u\u{308}", "o\u{302}"].map(ExactText.init))
    #expect(films.map { ExactText($0.place.city) } == [whole, apart].map(ExactText.init))
    try store.saveFilms(SpelledFilm(apart, 1))
    #expect(try store.films().map { ExactText($0.title) } == [apart, apart].map(ExactText.init))
    #expect(try store.films()[0].note == nil)
  }

  @Test(
    "if two new objects become one row, the row has the later spelling, even if no row had an original before",
    arguments: Engine.allCases)
  func twoForOneRow(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    try store.saveFilms(SpelledFilm("caf", 1), SpelledFilm(whole, 2))
    try store.saveFilms(SpelledFilm(whole, 2, note: apart), SpelledFilm(whole, 2, note: whole))
    #expect(try store.films().map { ExactText($0.note ?? "") } == ["", whole].map(ExactText.init))
    let context = store.context()
    context.insert(SpelledReel("1"))
    try context.save()
    context.insert(SpelledReel("1", note: apart))
    context.insert(SpelledReel("1", note: whole))
    try context.save()
    let reels = try store.context().fetch(FetchDescriptor<SpelledReel>())
    #expect(reels.map { ExactText($0.note) } == [ExactText(whole)])
  }

  @Test("if rows exchange unique texts, each text keeps its spelling", arguments: Engine.allCases)
  func exchange(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    let context = store.context()
    context.insert(SpelledReel("e\u{301}", note: "1\u{301}"))
    context.insert(SpelledReel("o\u{302}", note: "2\u{301}"))
    try context.save()
    let changing = store.context()
    let reels = try changing.fetch(FetchDescriptor<SpelledReel>(sortBy: [SortDescriptor(\.note)]))
    (reels[0].name, reels[1].name) = ("\u{F4}", "e\u{301}")
    try changing.save()
    let found = try store.context().fetch(FetchDescriptor<SpelledReel>(sortBy: [SortDescriptor(\.note)]))
    #expect(found.map { ExactText($0.name) } == ["\u{F4}", "e\u{301}"].map(ExactText.init))
    #expect(found.map { ExactText($0.note) } == ["1\u{301}", "2\u{301}"].map(ExactText.init))
  }

  @Test(
    "a save that throws within a transaction keeps the original spellings that other saves stored",
    arguments: Engine.allCases)
  func failedSave(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels, uniquenessPolicy: .throwError)
    try store.saveFilms(SpelledFilm(apart, 1), SpelledFilm("o\u{302}", 2))
    let context = store.context()
    try context.transaction {
      let films = try context.fetch(FetchDescriptor<SpelledFilm>(sortBy: [SortDescriptor(\.year)]))
      films[0].note = "n\u{303}"
      try context.save()
      (films[1].title, films[1].year, films[0].title) = (whole, 1, "caf\u{E9}")
      let wrong = SpelledFilm("n\u{303}", 3)
      context.insert(wrong)
      #expect(throws: SwiftDataError.self) { try context.save() }
      context.delete(wrong)
      (films[1].title, films[1].year, films[0].title) = ("o\u{302}", 2, apart)
    }
    let films = try store.films()
    #expect(films.map { ExactText($0.title) } == [apart, "o\u{302}"].map(ExactText.init))
    #expect(ExactText(films[0].note ?? "") == ExactText("n\u{303}"))
    if engine == .file {
      #expect(
        try store.originals() == [
          "SpelledFilm.note.n\u{303}", "SpelledFilm.place_city.\(apart)", "SpelledFilm.title.\(apart)",
          "SpelledFilm.place_city.o\u{302}",
          "SpelledFilm.title.o\u{302}",
        ])
    }
  }

  @Test("undoing a saved change restores the original spelling", arguments: Engine.allCases)
  func undo(_ engine: Engine) throws {
    let store = try TestStore(engine, filmModels)
    try store.saveFilms(SpelledFilm(apart, 1, weight: -0.0))
    let context = store.context()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let film = try #require(try context.fetch(FetchDescriptor<SpelledFilm>()).first)
    manager.beginUndoGrouping()
    (film.title, film.weight, film.place.city) = (whole, 0, whole)
    manager.endUndoGrouping()
    try context.save()
    #expect(ExactText(try store.films()[0].title) == ExactText(whole))
    manager.undo()
    try context.save()
    for film in [film, try store.films()[0]] {
      #expect(ExactText(film.title) == ExactText(apart) && ExactText(film.place.city) == ExactText(apart))
      #expect(film.weight.sign == .minus)
    }
  }

  @Test("a row that another program inserts with the key of a deleted row does not get the deleted row's spellings")
  func usedKeys() throws {
    let store = try TestStore(.file, filmModels)
    try store.saveFilms(SpelledFilm(apart, 1, weight: -0.0))
    let key = try #require(try store.raw().column("SELECT _osd_key FROM SpelledFilm").first)
    try store.raw().run("DELETE FROM SpelledFilm")
    try store.raw().run(
      "INSERT INTO SpelledFilm (_osd_key, title, year, weight, place_city) VALUES (\(key), 'caf', 1, 2.5, 'e')")
    let films = try store.films()
    #expect(films.map { ExactText($0.title) } == [ExactText("caf")] && films[0].weight == 2.5)
    // A row that the library inserts does not get the spellings of the deleted row either.
    try store.raw().run("DELETE FROM SpelledFilm")
    try store.saveFilms(SpelledFilm(whole, 1, weight: 0))
    let later = try store.films()
    #expect(later.map { ExactText($0.title) } == [ExactText(whole)] && later[0].weight.sign == .plus)
  }

  @Test("sorts and ranges by an indexed text use the index without a collation")
  func plans() throws {
    let store = try TestStore(.file, filmModels)
    try store.saveFilms(SpelledFilm(apart, 1), SpelledFilm("b", 2))
    let descriptors = [
      FetchDescriptor<SpelledFilm>(sortBy: [SortDescriptor(\.title)]),
      FetchDescriptor<SpelledFilm>(sortBy: [SortDescriptor(\.title, order: .reverse)]),
      FetchDescriptor<SpelledFilm>(predicate: #Predicate { $0.title > apart }, sortBy: [SortDescriptor(\.title)]),
    ]
    for descriptor in descriptors {
      let explanation = try descriptor.explain(in: store.context())
      let words = "\(explanation)"
      #expect(explanation.inMemory.isEmpty && !words.contains("COLLATE"), "\(words)")
      // SQLite needs no temporary B-tree, because the index also orders rows with the same text.
      #expect(!words.contains("TREE FOR ORDER"), "\(words)")
      #expect(words.contains("_osd_index_SpelledFilm_title"), "\(words)")
    }
    let wrong = try store.raw().column(
      "SELECT sql FROM sqlite_master WHERE sql LIKE '%COLLATE%' OR sql LIKE '%_osd_compare%' OR sql LIKE '%_osd_form%'")
    #expect(wrong == [])
  }
}
