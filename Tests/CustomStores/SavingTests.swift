import PersistenceCore
import SwiftData
import Testing

@Suite("Saves to a custom store")
struct SavingTests {
  @Test("a save makes one call with all inserted, changed and deleted models")
  func calls() throws {
    let lab = try StoreLab()
    let context = lab.context()
    let author = Author("Jane Austen")
    context.insert(author)
    author.books = [Book("Emma"), Book("Persuasion")]
    try context.save()
    var save = try #require(lab.script.saves.last)
    #expect(lab.script.saves.count == 1)
    #expect(save.inserted.count == 3 && save.updated.isEmpty && save.deleted.isEmpty)
    #expect(save.inserted.allSatisfy { $0.persistentIdentifier.isTemporary })
    #expect(save.editingState.id == context.editingState.id)

    author.name = "Austen"
    context.delete(author.books[0])
    context.insert(Book("Sanditon", author: author))
    try context.save()
    save = try #require(lab.script.saves.last)
    #expect(lab.script.saves.count == 2)
    #expect(save.inserted.map { $0.value("title", as: String.self) } == ["Sanditon"])
    #expect(save.updated.map(\.persistentIdentifier) == [author.persistentModelID])
    #expect(save.deleted.map { $0.value("title", as: String.self) } == ["Emma"])
    #expect(!save.deleted[0].persistentIdentifier.isTemporary)
    try context.save()
    #expect(lab.script.saves.count == 2)
  }

  @Test("a save gives models the store's identifiers, and snapshots the identifiers of related models")
  func identifiers() throws {
    let lab = try StoreLab()
    let context = lab.context()
    let author = Author("Jane Austen")
    context.insert(author)
    author.books = [Book("Emma"), Book("Persuasion")]
    let before = author.persistentModelID
    #expect(before.isTemporary)
    try context.save()
    let after = author.persistentModelID
    #expect(!after.isTemporary && after.storeIdentifier == "store-memory")
    let stored = lab.script.rows(of: "Author")
    #expect(stored.map(\.persistentIdentifier) == [after])
    #expect(Set(stored.map(\.persistentIdentifier)).contains(after))
    let books = lab.script.rows(of: "Book")
    #expect(books.allSatisfy { $0.reference("author") == after })
    #expect(stored[0].list("books") == author.books.map(\.persistentModelID))
    #expect(context.model(for: before) === author && context.model(for: after) === author)
    let other = lab.context()
    #expect((other.model(for: after) as? Author)?.name == "Jane Austen")
    let made = try PersistentIdentifier.identifier(for: "store-memory", entityName: "Author", primaryKey: "key-1")
    #expect(lab.script.rows(of: "Author")[0].persistentIdentifier.entityName == made.entityName)
  }

  @Test("a save drops a reference to a model that another context has deleted, and reports the conflict")
  func lostReference() throws {
    let lab = try StoreLab()
    let (here, there) = (lab.context(), lab.context())
    let (author, book) = (Author("a"), Book("b"))
    here.insert(author)
    here.insert(book)
    try here.save()
    there.delete(try #require(try there.fetch(FetchDescriptor<Author>()).first))
    try there.save()
    book.author = author
    try here.save()
    #expect(lab.script.rows(of: "Author").isEmpty)
    #expect(lab.script.rows(of: "Book").map { $0.reference("author") } == [nil])
    #expect(!here.resolvedConflicts.isEmpty && book.author == nil)
  }

  @Test("a saved value of each kind keeps its type")
  func values() throws {
    let lab = try StoreLab([Everything.self])
    let context = lab.context()
    let model = Everything()
    context.insert(model)
    (model.text, model.truth, model.number, model.small) = ("e\u{301} ✓", true, .min, -8)
    (model.unsigned, model.real, model.decimal) = (.max, -0.5, Decimal(string: "12345678901234567890.5") ?? 0)
    (model.date, model.data) = (Date(timeIntervalSinceReferenceDate: 1.25), Data([0, 255]))
    (model.url, model.genre, model.size) = (URL(filePath: "/a/b"), .essay, Size(width: 1, height: 2))
    (model.words, model.counts) = (["a", ""], ["x": 1])
    (model.optionalText, model.optionalGenre, model.optionalSize) = ("", .novel, Size(width: 3, height: 4))
    try context.save()
    let stored = try #require(lab.script.rows(of: "Everything").first)
    #expect(stored.value("genre", as: Genre.self) == .essay && stored.value("size", as: Size.self)?.height == 2)
    #expect(stored.value("unsigned", as: UInt64.self) == .max && stored.value("small", as: Int8.self) == -8)
    let data = try JSONEncoder().encode(stored)
    let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(decoded.persistentIdentifier == stored.persistentIdentifier)
    lab.script.with { $0.rows = [decoded] }
    let read = try #require(try lab.context().fetch(FetchDescriptor<Everything>()).first)
    #expect(read.text.utf8.elementsEqual(model.text.utf8) && read.truth && read.number == .min && read.small == -8)
    #expect(read.unsigned == .max && read.real == -0.5 && read.decimal == model.decimal && read.date == model.date)
    #expect(read.data == model.data && read.uuid == model.uuid && read.url == model.url && read.genre == .essay)
    #expect(read.size == model.size && read.words == model.words && read.counts == model.counts)
    #expect(read.optionalText == "" && read.optionalGenre == .novel && read.optionalSize == model.optionalSize)
  }

  @Test("a save throws the store's error, and the context keeps the changes")
  func refusal() throws {
    struct Refusal: Error {}
    let lab = try StoreLab()
    try lab.fill()
    let context = lab.context()
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    author.name = "Austen"
    context.insert(Book("Sanditon", author: author))
    lab.script.with { $0.failure = Refusal() }
    lab.script.forgetCalls()
    #expect(throws: Refusal.self) { try context.save() }
    #expect(lab.script.calls == ["save"])
    #expect(context.hasChanges && context.insertedModelsArray.count == 1 && author.name == "Austen")
    lab.script.with { $0.failure = nil }
    #expect(try lab.context().fetch(FetchDescriptor<Author>()).map(\.name) == ["Jane Austen"])
    try context.save()
    #expect(lab.script.rows(of: "Author").first?.value("name", as: String.self) == "Austen")
    #expect(lab.script.rows(of: "Book").count == 4)
  }

  @Test("all saves of a transaction make one call; a transaction that throws makes no call")
  func transactions() throws {
    struct Stop: Error {}
    let lab = try StoreLab()
    let context = lab.context()
    let author = Author("Jane Austen")
    try context.transaction {
      context.insert(author)
      try context.save()
      author.name = "Austen"
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
      context.insert(Book("Emma", author: author))
    }
    #expect(lab.script.saves.count == 1)
    #expect(lab.script.saves[0].inserted.count == 2 && lab.script.saves[0].updated.isEmpty)
    #expect(lab.script.rows(of: "Author")[0].value("name", as: String.self) == "Austen")
    #expect(throws: Stop.self) {
      try context.transaction {
        author.name = "Jane"
        try context.save()
        throw Stop()
      }
    }
    #expect(lab.script.saves.count == 1 && author.name == "Austen")
    #expect(try lab.context().fetch(FetchDescriptor<Author>()).map(\.name) == ["Austen"])
  }

  @Test(
    "a save contains the deletions and cleared references of delete rules, whether or not the rows were read",
    arguments: [false, true])
  func deleteRules(_ isRead: Bool) throws {
    let lab = try StoreLab()
    try lab.fill()
    let first = lab.context()
    let tag = Tag("classic")
    first.insert(tag)
    for book in try first.fetch(FetchDescriptor<Book>()) { book.tags = [tag] }
    try first.save()
    lab.script.forgetCalls()
    let context = lab.context()
    if isRead { _ = try context.fetch(FetchDescriptor<Book>()).map(\.tags) }
    context.delete(try #require(try context.fetch(FetchDescriptor<Author>()).first))
    try context.save()
    let save = try #require(lab.script.saves.last)
    #expect(lab.script.saves.count == 1 && save.deleted.count == 4)
    #expect(lab.script.rows(of: "Book").isEmpty && lab.script.rows(of: "Author").isEmpty)
    #expect(lab.script.rows(of: "Tag").first?.list("books") == [])
    #expect(try lab.context().fetch(FetchDescriptor<Tag>()).first?.books.isEmpty == true)
  }

  @Test("a save contains each model that a batch deletion deletes")
  func batchDeletion() throws {
    let lab = try StoreLab()
    try lab.fill()
    let context = lab.context()
    try context.delete(model: Book.self, where: #Predicate { $0.pages > 100 })
    try context.save()
    #expect(lab.script.saves.count == 1 && lab.script.saves[0].deleted.count == 2)
    #expect(lab.script.rows(of: "Book").map { $0.value("title", as: String.self) } == ["Emma"])
    let author = try #require(try lab.context().fetch(FetchDescriptor<Author>()).first)
    #expect(author.books.map(\.title) == ["Emma"])
    try context.delete(model: Author.self)
    try context.save()
    #expect(lab.script.rows(of: "Book").isEmpty)
  }

  @Test("a save contains the cascade of a batch deletion, whether or not the rows were read")
  func batchCascade() throws {
    let lab = try StoreLab([Kiosk.self, Lamp.self]) { $0.isCaching = true }
    let first = lab.context()
    for number in 1...3 { first.insert(Kiosk("\(number)", lamp: Lamp(number))) }
    try first.save()
    let context = try lab.fresh().context()
    try context.delete(model: Kiosk.self, where: #Predicate { $0.name != "2" })
    try context.save()
    #expect(lab.script.rows(of: "Kiosk").count == 1)
    #expect(lab.script.rows(of: "Lamp").map { $0.value("watts", as: Int.self) } == [2])
  }

  @Test(
    "a save contains the models whose references were cleared, complete and with their classes, and no other models",
    arguments: [false, true])
  func clearedSubclass(_ isBatch: Bool) throws {
    let lab = try StoreLab(harborModels) { $0.isCaching = true }
    let first = lab.context()
    for name in ["a", "b"] {
      let harbor = Harbor(name)
      first.insert(harbor)
      harbor.ships = [Ship("\(name)1"), Ferry("\(name)2", cars: 20), Ship("\(name)3")]
    }
    try first.save()
    for harbor in try first.fetch(FetchDescriptor<Harbor>()) { harbor.ships.reverse() }
    try first.save()
    let context = try lab.fresh().context()
    let harbors = try context.fetch(FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.name)]))
    if isBatch {
      try context.delete(model: Harbor.self, where: #Predicate { $0.name == "a" })
    } else {
      context.delete(harbors[0])
    }
    try context.save()
    let save = try #require(lab.script.saves.last)
    #expect(save.updated.compactMap { $0.value("name", as: String.self) }.sorted() == ["a1", "a2", "a3"])
    #expect(save.updated.allSatisfy { $0.reference("harbor") == nil })
    #expect(save.updated.compactMap { $0.value("cars", as: Int.self) } == [20])
    let read = try lab.fresh().context()
    #expect(try read.fetch(FetchDescriptor<Ferry>()).map(\.cars) == [20, 20])
    #expect(try read.fetch(FetchDescriptor<Harbor>()).first?.ships.map(\.name) == ["b3", "b2", "b1"])
  }

  @Test("a save contains the models on both sides of a one-to-one relationship")
  func bothEnds() throws {
    let lab = try StoreLab([Pilot.self, Licence.self]) { $0.isCaching = true }
    let context = lab.context()
    let (pilots, licence) = (["a", "b"].map(Pilot.init), Licence(1))
    pilots.forEach(context.insert)
    pilots[0].licence = licence
    try context.save()
    func ends() -> [String?: PersistentIdentifier?] {
      let rows = lab.script.rows(of: "Pilot")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.value("name"), $0.reference("licence")) })
    }
    func stored() -> PersistentIdentifier? { lab.script.rows(of: "Licence").first?.reference("pilot") }
    #expect(ends() == ["a": licence.persistentModelID, "b": nil] && stored() == pilots[0].persistentModelID)
    pilots[1].licence = licence
    try context.save()
    #expect(ends() == ["a": nil, "b": licence.persistentModelID] && stored() == pilots[1].persistentModelID)
    // Reading one side of the relationship does not fetch the whole entity of the other side.
    for isPilot in [true, false] {
      let reader = try lab.fresh().context()
      if isPilot {
        let named = FetchDescriptor<Pilot>(predicate: #Predicate { $0.name == "b" })
        #expect(try reader.fetch(named).first?.licence?.number == 1)
      } else {
        #expect(try reader.fetch(FetchDescriptor<Licence>()).first?.pilot?.name == "b")
      }
      #expect(lab.script.calls.filter { $0.hasPrefix("fetch") }.count == 1)
    }
    context.delete(licence)
    try context.save()
    #expect(ends() == ["a": nil, "b": nil])
  }

  @Test("a save omits the changes of a rolled-back nested transaction")
  func undoneParts() throws {
    struct Stop: Error {}
    let lab = try StoreLab()
    try lab.fill(["a", "b"])
    let context = lab.context()
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    try context.transaction {
      context.insert(Book("c", author: author))
      try context.save()
      try? context.transaction {
        context.delete(author.books[0])
        context.insert(Book("d"))
        author.name = "Austen"
        try context.save()
        throw Stop()
      }
      author.books[1].pages = 7
      try context.save()
    }
    let save = try #require(lab.script.saves.last)
    #expect(lab.script.saves.count == 1 && save.deleted.isEmpty)
    #expect(save.inserted.map { $0.value("title", as: String.self) } == ["c"])
    #expect(lab.script.rows(of: "Author").first?.value("name", as: String.self) == "Jane Austen")
    #expect(lab.script.rows(of: "Book").first { $0.value("title") == "b" }?.value("pages", as: Int.self) == 7)
  }

  @Test("a save does not write the identifiers of deleted models")
  func danglingIdentifiers() throws {
    let lab = try StoreLab()
    try lab.fill(["a", "b", "c"])
    let context = lab.context()
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    let other = lab.context()
    try other.delete(model: Book.self, where: #Predicate { $0.title != "b" })
    try other.save()
    author.name = "Austen"
    try context.save()
    #expect(
      lab.script.rows(of: "Author").first?.list("books") == lab.script.rows(of: "Book").map(\.persistentIdentifier))
  }

  @Test("saving a new model with the unique value of an existing row changes that row")
  func upsert() throws {
    let lab = try StoreLab([Member.self])
    let first = lab.context()
    first.insert(Member(1, "one"))
    try first.save()
    let context = lab.context()
    let member = Member(1, "two")
    context.insert(member)
    try context.save()
    #expect(lab.script.saves.last?.inserted.isEmpty == true && lab.script.saves.last?.updated.count == 1)
    #expect(lab.script.rows(of: "Member").count == 1)
    #expect(member.persistentModelID == lab.script.rows(of: "Member")[0].persistentIdentifier)
    #expect(try lab.context().fetch(FetchDescriptor<Member>()).map(\.name) == ["two"])
  }

  @Test("a new model gets the identifier of an existing row if the store maps the model to that row")
  func upsertByRemapping() throws {
    let lab = try StoreLab()
    try lab.fill([])
    let known = try #require(lab.script.rows(of: "Author").first?.persistentIdentifier)
    lab.script.with { $0.existing = { $0.persistentIdentifier.entityName == "Author" ? known : nil } }
    let context = lab.context()
    _ = try context.fetch(FetchDescriptor<Author>())
    let author = Author("Austen")
    context.insert(author)
    try context.save()
    #expect(author.persistentModelID == known)
    #expect(try lab.context().fetch(FetchDescriptor<Author>()).map(\.name) == ["Austen"])
    #expect(try context.fetch(FetchDescriptor<Author>()) == [author])
  }

  @Test("models get the values that the store changed during the save")
  func reregistered() throws {
    let lab = try StoreLab()
    let context = lab.context()
    let author = Author("jane austen")
    context.insert(author)
    lab.script.with { state in
      state.remap = { result in
        var changed: [PersistentIdentifier: DefaultSnapshot] = [:]
        for identifier in result.remappedIdentifiers.values {
          var values = SnapshotValues()
          values["name"] = .value("Jane Austen")
          values["books"] = .toMany([])
          changed[identifier] = DefaultSnapshot(identifier, values)
        }
        return DataStoreSaveChangesResult(
          for: result.storeIdentifier, remappedIdentifiers: result.remappedIdentifiers, snapshotsToReregister: changed)
      }
    }
    try context.save()
    #expect((lab.context().model(for: author.persistentModelID) as? Author)?.name == "Jane Austen")
  }

  @Test("other contexts get the changes of a save")
  func otherContexts() throws {
    let lab = try StoreLab()
    try lab.fill()
    let (one, other) = (lab.context(), lab.context())
    let read = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    let author = try #require(try one.fetch(FetchDescriptor<Author>()).first)
    author.name = "Austen"
    one.delete(author.books[0])
    try one.save()
    _ = try other.fetchCount(FetchDescriptor<Tag>())
    #expect(read.name == "Austen" && read.books.count == 2)
    read.name = "J. A."
    try other.save()
    #expect(lab.script.rows(of: "Author")[0].value("name", as: String.self) == "J. A.")
  }
}
