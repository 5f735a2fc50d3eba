import SwiftData
import Testing

@Suite("Required relationships and model counts", .serialized)
struct RequiredRelationshipTests {
  private func words(_ error: SwiftDataError?) throws -> String { "\(try #require(error))" }

  private func receipt(_ engine: Engine) throws -> (TestStore, ModelContext, Receipt) {
    let store = try TestStore(engine, graphModels)
    let receipt = Receipt("receipt")
    let lines = named("abc") { ReceiptLine($0, receipt: receipt) }
    try store.keep(lines[0], lines[1], lines[2])
    let context = store.context()
    try #require(context.one("receipt", Receipt.self).lines.count == 3)
    return (store, context, try context.one("receipt"))
  }

  @Test(
    "an object with a required owner that is removed from its list keeps the owner, and the save throws",
    arguments: Engine.allCases)
  func removed(_ engine: Engine) throws {
    let (store, context, receipt) = try receipt(engine)
    let line = receipt.lines.remove(at: 1)
    #expect(receipt.lines.names == letters("ac"))
    #expect(line.receipt === receipt)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    let words = try words(error)
    #expect(words.contains("Receipt") && words.contains("ReceiptLine") && words.contains("receipt"), "\(words)")
    #expect(context.hasChanges)
    #expect(try store.context().one("receipt", Receipt.self).lines.names == letters("abc"))
  }

  @Test("an object may be deleted after its removal from a list", arguments: Engine.allCases)
  func removedAndDeleted(_ engine: Engine) throws {
    let (store, context, receipt) = try receipt(engine)
    context.delete(receipt.lines.remove(at: 1))
    try context.save()
    #expect(receipt.lines.names == letters("ac"))
    #expect(try store.context().names(of: ReceiptLine.self) == letters("ac"))
  }

  @Test("an object may get another owner after its removal from a list", arguments: Engine.allCases)
  func removedAndRelated(_ engine: Engine) throws {
    let (store, context, receipt) = try receipt(engine)
    let other = Receipt("other")
    context.insert(other)
    receipt.lines.remove(at: 1).receipt = other
    try context.save()
    #expect(try store.context().one("receipt", Receipt.self).lines.names == letters("ac"))
    #expect(try store.context().one("other", Receipt.self).lines.names == ["b"])
  }

  @Test("an object may be added again after its removal from a list", arguments: Engine.allCases)
  func putBack(_ engine: Engine) throws {
    let (store, context, receipt) = try receipt(engine)
    receipt.lines.append(receipt.lines.remove(at: 0))
    try context.save()
    #expect(try store.context().one("receipt", Receipt.self).lines.names == letters("bca"))
  }

  @Test("setting another owner removes the object from the former owner's list", arguments: Engine.allCases)
  func moved(_ engine: Engine) throws {
    let (store, context, receipt) = try receipt(engine)
    let other = Receipt("other")
    try context.one("a", ReceiptLine.self).receipt = other
    #expect(receipt.lines.names == letters("bc"))
    #expect(other.lines.names == ["a"])
    try context.save()
    #expect(try store.context().one("other", Receipt.self).lines.names == ["a"])
  }

  @Test("a save throws if a list is too short or too long, and nothing is saved", arguments: Engine.allCases)
  func counts(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    context.insertAll(Crew("empty"), Crew("full", sailors: named("abcd") { Sailor($0) }), Shop("corner"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(context.insertedModelsArray.count == 7)
    let other = store.context()
    #expect(try other.names(of: Crew.self) == [])
    #expect(try other.names(of: Sailor.self) == [])
    #expect(try other.names(of: Shop.self) == [])
  }

  @Test("one error names every violation", arguments: Engine.allCases)
  func everyViolation(_ engine: Engine) throws {
    let (_, context, receipt) = try receipt(engine)
    receipt.lines.removeAll()
    context.insertAll(Crew("empty"), Crew("full", sailors: named("abcd") { Sailor($0) }))
    let words = try words(#expect(throws: SwiftDataError.self) { try context.save() })
    #expect(words.components(separatedBy: "ReceiptLine").count > 3, "three lines: \(words)")
    #expect(words.components(separatedBy: "sailors").count > 2, "two crews: \(words)")
    #expect(words.contains("1") && words.contains("3") && words.contains("4"), "the numbers: \(words)")
  }

  @Test("a list of a permitted length is saved, even after a save that threw", arguments: Engine.allCases)
  func permitted(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let crew = Crew("crew")
    context.insert(crew)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    crew.sailors = named("abc") { Sailor($0) }
    try context.save()
    try #require(crew.sailors.count == 3)
    crew.sailors.removeLast(2)
    try context.save()
    #expect(try store.context().one("crew", Crew.self).sailors.names == ["a"])
  }

  @Test("the length is checked when the other side changes it", arguments: Engine.allCases)
  func otherSide(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Crew("crew", sailors: named("abc") { Sailor($0) }))
    let context = store.context()
    let sailor = Sailor("d")
    sailor.crew = try context.one("crew")
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    for sailor in try context.fetch(FetchDescriptor<Sailor>()) { sailor.crew = nil }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try store.context().one("crew", Crew.self).sailors.names == letters("abc"))
  }

  @Test(
    "the length is checked when members are deleted, but not if the owner is deleted too", arguments: Engine.allCases)
  func deleting(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Crew("crew", sailors: [Sailor("a")]))
    let context = store.context()
    context.delete(try context.one("a", Sailor.self))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.delete(try context.one("crew", Crew.self))
    try context.save()
    #expect(try store.context().names(of: Crew.self) == [])
    #expect(try store.context().names(of: Sailor.self) == [])
  }
}
