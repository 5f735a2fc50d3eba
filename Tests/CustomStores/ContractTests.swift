import PersistenceCore
import SwiftData
import Testing

/// In each test, the store violates one rule of the contract. The operation must throw an error that names this rule.
@Suite("The contract of custom stores")
struct ContractTests {
  private func error(_ words: String..., from body: () throws -> Void) throws {
    let error = #expect(throws: SwiftDataError.self) { try body() }
    let text = error?.explanation ?? ""
    for word in words { #expect(text.contains(word), "\(text)") }
  }

  private func identifier(_ entity: String, _ key: String, store: String = "store-memory") throws
    -> PersistentIdentifier
  {
    try .identifier(for: store, entityName: entity, primaryKey: key)
  }

  @Test("a fetch returns snapshots of its entity")
  func entity() throws {
    let lab = try StoreLab()
    try lab.fill()
    let author = lab.script.rows(of: "Author")[0]
    lab.script.with { $0.change = { $0 + [author] } }
    try error("snapshots of Book alone", "Author") { _ = try lab.context().fetch(FetchDescriptor<Book>()) }
  }

  @Test("a fetch returns each model only once")
  func duplicates() throws {
    let lab = try StoreLab()
    try lab.fill()
    lab.script.with { $0.change = { $0 + $0.prefix(1) } }
    try error("each model once", "twice") { _ = try lab.context().fetch(FetchDescriptor<Book>()) }
  }

  @Test("identifiers have the identifier of the store")
  func otherStore() throws {
    let lab = try StoreLab()
    try lab.fill()
    let foreign = try identifier("Book", "1", store: "elsewhere")
    lab.script.with { $0.change = { $0.map { $0.with(foreign) }.suffix(1) } }
    try error("its own identifier", "elsewhere") { _ = try lab.context().fetch(FetchDescriptor<Book>()) }
  }

  @Test("identifiers are permanent")
  func temporary() throws {
    let lab = try StoreLab()
    try lab.fill()
    let temporary = Book("new").persistentModelID
    lab.script.with { $0.change = { $0.map { $0.with(temporary) }.suffix(1) } }
    try error("permanent identifiers", "temporary") { _ = try lab.context().fetch(FetchDescriptor<Book>()) }
  }

  @Test("values have the types of their properties")
  func types() throws {
    let lab = try StoreLab()
    try lab.fill()
    lab.script.with { $0.change = { $0.map { $0.with("pages", .value("many")) } } }
    try error("the type that the model declares", "Book.pages", "String", "Int") {
      _ = try lab.context().fetch(FetchDescriptor<Book>())
    }
    lab.script.with { $0.change = { $0.map { $0.with("author", .value(1)) } } }
    try error("the type that the model declares", "Book.author") {
      _ = try lab.context().fetch(FetchDescriptor<Book>())
    }
  }

  @Test("required properties have values")
  func missing() throws {
    let lab = try StoreLab()
    try lab.fill()
    lab.script.with { $0.change = { $0.map { $0.with("title", .null) } } }
    try error("a value for each property", "Book.title") { _ = try lab.context().fetch(FetchDescriptor<Book>()) }
  }

  @Test("relationships refer to models of their destination")
  func destination() throws {
    let lab = try StoreLab()
    try lab.fill()
    let tag = try identifier("Tag", "1")
    lab.script.with { $0.change = { $0.map { $0.with("author", .toOne(tag)) } } }
    try error("models of their destination", "Book.author", "Tag") {
      _ = try lab.context().fetch(FetchDescriptor<Book>())
    }
    lab.script.with { $0.change = { $0.map { $0.with("books", .toMany([tag])) } } }
    try error("Author.books", "Tag") { _ = try lab.context().fetch(FetchDescriptor<Author>()) }
  }

  @Test("a list contains each model only once")
  func listDuplicates() throws {
    let lab = try StoreLab()
    try lab.fill()
    lab.script.with {
      $0.change = { $0.map { $0.with("books", .toMany(($0.list("books") ?? []) + ($0.list("books") ?? []))) } }
    }
    try error("each model once", "Author.books") { _ = try lab.context().fetch(FetchDescriptor<Author>()) }
  }

  @Test("unique values belong to one model only")
  func uniqueValues() throws {
    let lab = try StoreLab([Member.self])
    let context = lab.context()
    context.insert(Member(1, "one"))
    context.insert(Member(2, "two"))
    try context.save()
    lab.script.with { $0.change = { $0.map { $0.with("number", .value(1)) } } }
    try error("unique values", "Member") { _ = try lab.context().fetch(FetchDescriptor<Member>()) }
  }

  private func refuse(
    _ words: String...,
    by change:
      @escaping @Sendable (
        DataStoreSaveChangesResult<DefaultSnapshot>
      ) -> DataStoreSaveChangesResult<DefaultSnapshot>
  ) throws {
    let lab = try StoreLab { $0.remap = change }
    let context = lab.context()
    context.insert(Book("one"))
    context.insert(Book("two"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    for word in words { #expect(error?.explanation?.contains(word) == true, "\(String(describing: error))") }
    #expect(context.hasChanges && context.insertedModelsArray.count == 2)
  }

  @Test("a save gives each new model an identifier")
  func noMapping() throws {
    try refuse("has each inserted model", "Book") { DataStoreSaveChangesResult(for: $0.storeIdentifier) }
  }

  @Test("a save gives each new model a different identifier")
  func sharedMapping() throws {
    let same = try identifier("Book", "same")
    try refuse("each model once", "same") { result in
      DataStoreSaveChangesResult(
        for: result.storeIdentifier, remappedIdentifiers: result.remappedIdentifiers.mapValues { _ in same })
    }
  }

  @Test("a save gives new models permanent identifiers of their entity")
  func otherMapping() throws {
    let tag = try identifier("Tag", "same")
    try refuse("snapshots of Book alone", "Tag") { result in
      DataStoreSaveChangesResult(
        for: result.storeIdentifier, remappedIdentifiers: result.remappedIdentifiers.mapValues { _ in tag })
    }
    try refuse("permanent identifiers") { result in
      let pairs = result.remappedIdentifiers.keys.map { ($0, $0) }
      return DataStoreSaveChangesResult(
        for: result.storeIdentifier, remappedIdentifiers: Dictionary(uniqueKeysWithValues: pairs))
    }
  }

  @Test("the result of a save has the identifier of the store")
  func otherResult() throws {
    try refuse("the identifier of the store", "elsewhere") {
      DataStoreSaveChangesResult(for: "elsewhere", remappedIdentifiers: $0.remappedIdentifiers)
    }
  }

  @Test("a fetch throws the store's error unchanged")
  func failure() throws {
    struct Failure: Error {}
    let lab = try StoreLab { $0.failure = Failure() }
    #expect(throws: Failure.self) { try lab.context().fetch(FetchDescriptor<Book>()) }
    #expect(throws: Failure.self) { try lab.context().fetchCount(FetchDescriptor<Book>()) }
    lab.script.with { $0.failure = DataStoreError.invalidPredicate }
    #expect(throws: DataStoreError.invalidPredicate) {
      try lab.context().fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 1 }))
    }
    // The library must not retry endlessly if the store throws this error each time.
    lab.script.with { $0.failure = DataStoreError.preferInMemoryFilter }
    #expect(throws: DataStoreError.preferInMemoryFilter) { try lab.context().fetch(FetchDescriptor<Book>()) }
  }
}
