import SwiftData
import Testing

@Suite("Models and contexts in the deprecated spelling of the betas")
struct BetaModelTests {
  @Test("Options in an array have the same meaning as without an array")
  func options() throws { try check(OptionsInArrays()) }

  @Test("Hand-written backing data stores values")
  func backingData() throws { try check(BackingDataByHand()) }

  @Test("Contexts insert, delete and list objects")
  func contexts() throws { try check(ObjectsOfContexts()) }
}

private struct OptionsInArrays: Spelling {
  @available(*, deprecated)
  func check() throws {
    let store = try TestStore(.file, [BetaNote.self])
    let (context, id) = (store.context(), UUID())
    for body in ["old", "new"] {
      let note = BetaNote(uniqueID: id, body: body, modifiedDate: .distantPast, imageData: Data(count: 200_000))
      note.tags = [body]
      note.scores = [0.5]
      context.insert(note)
      try context.save()
    }
    let found = try store.context().fetch(FetchDescriptor<BetaNote>())
    #expect(found.map(\.body) == ["new"] && found[0].tags == ["new"] && found[0].scores == [0.5])
    #expect(found[0].imageData?.count == 200_000 && found[0].modifiedDate == .distantPast)
    let attributes = store.schema.entitiesByName["BetaNote"]?.attributesByName
    #expect(attributes?["imageData"]?.options == [.externalStorage] && attributes?["uniqueID"]?.options == [.unique])
  }
}

private struct BackingDataByHand: Spelling {
  @available(*, deprecated)
  func check() throws {
    for engine in Engine.allCases {
      let store = try TestStore(engine, [BetaMemo.self])
      let context = store.context()
      let memo = BetaMemo("first")
      context.insert(memo)
      try context.save()
      memo.text = "second"
      #expect(memo.hasChanges)
      try context.save()
      let found = try store.context().fetch(FetchDescriptor<BetaMemo>(predicate: #Predicate { $0.text == "second" }))
      #expect(found.count == 1 && found[0] !== memo && found[0].text == "second")
    }
  }
}

private struct ObjectsOfContexts: Spelling {
  @available(*, deprecated)
  func check() throws {
    let store = try TestStore(.memory, [BetaMemo.self])
    let context = store.context()
    let memo = BetaMemo("memo")
    context.insert(object: memo)
    #expect(context.insertedObjectsArray.count == 1 && context.changedObjectsArray.isEmpty)
    try context.save()
    memo.text = "other"
    #expect(context.changedObjectsArray.count == 1)
    context.delete(object: memo)
    #expect(context.deletedObjectsArray.count == 1)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<BetaMemo>()) == 0)
  }
}
