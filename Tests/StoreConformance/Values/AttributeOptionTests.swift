import SwiftData
import Testing

/// A struct that is encoded as one text, such as "3-4".
struct Interval: Codable, Equatable {
  var start: Int
  var end: Int

  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  init(from decoder: any Decoder) throws {
    let parts = try decoder.singleValueContainer().decode(String.self).split(separator: "-").compactMap { Int($0) }
    self.init(start: parts.first ?? 0, end: parts.last ?? 0)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("\(start)-\(end)")
  }
}

@Model final class Annotated {
  @Attribute(.preserveValueOnDeletion) var kept: String = "kept"
  @Attribute(.spotlight) var found: String = "found"
  @Attribute(.allowsCloudEncryption) var secret: String = "secret"
  @Attribute(.ephemeral) var fleeting: Int = 1
  @Attribute(.codable) var interval: Interval = Interval(start: 1, end: 2)
  @Attribute(.codable) var optional: Interval?

  init() {}
}

@Suite("Options of @Attribute that change little or nothing about storage")
struct AttributeOptionTests {
  private func saved(_ engine: Engine) throws -> (TestStore, ModelContext, Annotated) {
    let store = try TestStore(engine, [Annotated.self])
    let context = store.context()
    let model = Annotated()
    context.insert(model)
    try context.save()
    return (store, context, model)
  }

  private func stored(_ store: TestStore) throws -> Annotated {
    try #require(try store.context().fetch(FetchDescriptor<Annotated>()).first)
  }

  @Test(
    "attributes with .preserveValueOnDeletion, .spotlight and .allowsCloudEncryption are saved and fetched like others",
    arguments: Engine.allCases)
  func accepted(_ engine: Engine) throws {
    let (store, context, model) = try saved(engine)
    (model.kept, model.found, model.secret) = ("k", "f", "s")
    try context.save()
    let read = try stored(store)
    #expect([read.kept, read.found, read.secret] == ["k", "f", "s"])
    let predicate = #Predicate<Annotated> { $0.kept == "k" && $0.found == "f" && $0.secret == "s" }
    #expect(try store.context().fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    context.delete(model)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Annotated>()) == 0)
    #expect(model.kept == "k")
  }

  @Test("the schema records every option")
  func schema() throws {
    let entity = try #require(Schema([Annotated.self]).entity(for: Annotated.self))
    #expect(entity.attributesByName["kept"]?.options == [.preserveValueOnDeletion])
    #expect(entity.attributesByName["found"]?.options == [.spotlight])
    #expect(entity.attributesByName["secret"]?.options == [.allowsCloudEncryption])
    #expect(entity.attributesByName["fleeting"]?.isTransient == true)
    #expect(entity.attributesByName["interval"]?.options == [.codable])
  }

  @Test(
    "changing an .ephemeral value marks the model as changed, and the value is not stored", arguments: Engine.allCases)
  func ephemeral(_ engine: Engine) throws {
    let (store, context, model) = try saved(engine)
    model.fleeting = 2
    #expect(model.hasChanges && context.hasChanges)
    try context.save()
    #expect(model.fleeting == 2)
    #expect(!context.hasChanges)
    #expect(try stored(store).fleeting == 1)
  }

  @Test("a .codable value is stored in its encoded form, in one column", arguments: Engine.allCases)
  func codable(_ engine: Engine) throws {
    let (store, context, model) = try saved(engine)
    model.interval = Interval(start: 3, end: 4)
    model.optional = Interval(start: 5, end: 6)
    try context.save()
    let read = try stored(store)
    #expect(read.interval == Interval(start: 3, end: 4))
    #expect(read.optional == Interval(start: 5, end: 6))
    guard engine == .file else { return }
    try store.tamper(#"UPDATE Annotated SET interval = '"7-8"' WHERE interval = '"3-4"'"#)
    #expect(try stored(store).interval == Interval(start: 7, end: 8))
  }

  @Test("the options may be in an array, as in the syntax of the first beta")
  @available(*, deprecated, message: "tests what is deprecated")
  func array() {
    let attribute = Schema.Attribute([.unique, .spotlight], originalName: "old", hashModifier: nil)
    #expect(attribute.options == [.unique, .spotlight])
    #expect(attribute.originalName == "old")
  }
}
