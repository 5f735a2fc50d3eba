import SwiftData
import Testing

@Suite("Regressions: models with hand-written conformance")
struct ManualModelTests {
  private let models: [any PersistentModel.Type] = [Manual.self, ManualOwner.self, Stamp.self]

  @Test("backing data retains its model", arguments: Engine.allCases)
  func backingData(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    var model: Manual? = Manual("first")
    context.insert(try #require(model))
    try context.save()
    var data = try #require(model).persistentBackingData
    model = nil
    for _ in 0..<3 { #expect(try context.fetch(FetchDescriptor<Manual>()).map(\.name) == ["first"]) }
    data.setValue(forKey: \.name, to: "second")
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Manual>()).map(\.name) == ["second"])
    data.persistentModelID = nil
  }

  @Test(
    "if an upsert gave a row two objects, the backing data of the second object retains its model",
    arguments: Engine.allCases)
  func secondObject(_ engine: Engine) throws {
    let store = try TestStore(engine, [Etching.self])
    let context = store.context()
    let first = Etching("a", copies: 1)
    context.insert(first)
    try context.save()
    var second: Etching? = Etching("a", copies: 2)
    context.insert(try #require(second))
    try context.save()
    #expect(first.copies == 2 && first !== second)
    let data = try #require(second).persistentBackingData
    second = nil
    data.setValue(forKey: \.copies, to: 3)
    try context.save()
    #expect(first.copies == 3)
    #expect(try store.context().fetch(FetchDescriptor<Etching>()).map(\.copies) == [3])
  }

  @Test("backing data retains a deleted model even if another program inserts a new row with the model's key")
  func replacedRow() throws {
    let store = try TestStore(.file, models)
    let context = store.context()
    var model: Manual? = Manual("first")
    context.insert(try #require(model))
    try context.save()
    let data = try #require(model).persistentBackingData
    context.delete(try #require(model))
    try context.save()
    model = nil
    try store.changeElsewhere("INSERT INTO Manual (_osd_key, name) VALUES (1, 'other')")
    let other = try #require(try context.fetch(FetchDescriptor<Manual>()).first)
    data.setValue(forKey: \.name, to: "second")
    #expect(data.getValue(forKey: \.name) == "second" && other.name == "other")
    #expect(!context.hasChanges)
  }

  @Test("backing data can be set after the release of its model's context", arguments: Engine.allCases)
  func contextGone(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let data: any BackingData<Manual>
    do {
      let context = store.context()
      let model = Manual("first")
      model.stamp = Stamp("stamp")
      context.insert(model)
      try context.save()
      data = model.persistentBackingData
    }
    data.setValue(forKey: \.name, to: "second")
    #expect(data.getValue(forKey: \.name) == "second")
    #expect(try store.context().fetch(FetchDescriptor<Manual>()).map(\.name) == ["first"])
  }

  @Test("an optional relationship is stored as nil, as a model, and as nil again", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    let model = Manual("name")
    context.insert(model)
    for text in [nil, "stamp", nil] {
      let stamp = text.map(Stamp.init)
      if let stamp { context.insert(stamp) }
      model.stamp = stamp
      try context.save()
      let reader = store.context()
      let stored = try #require(try reader.fetch(FetchDescriptor<Manual>()).first)
      #expect(stored.stamp?.text == text)
    }
  }

  @Test("a model with hand-written conformance can be read through a relationship", arguments: Engine.allCases)
  func relationship(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let writer = store.context()
    let owner = ManualOwner("owner")
    writer.insert(owner)
    owner.manual = Manual("by hand")
    try writer.save()
    let reader = store.context()
    let found = try #require(try reader.fetch(FetchDescriptor<ManualOwner>()).first)
    #expect(found.manual?.name == "by hand")
    #expect(try store.context().fetch(FetchDescriptor<Manual>()).map(\.name) == ["by hand"])
  }
}

/// A model with hand-written conformance and a unique title, so that saving an equal title is an upsert.
final class Etching: PersistentModel {
  var persistentBackingData: any BackingData<Etching>

  init(backingData: any BackingData<Etching>) { persistentBackingData = backingData }

  init(_ title: String, copies: Int) {
    persistentBackingData = Etching.createBackingData()
    self.title = title
    self.copies = copies
  }

  var title: String {
    get { getValue(forKey: \.title) }
    set { setValue(forKey: \.title, to: newValue) }
  }

  var copies: Int {
    get { getValue(forKey: \.copies) }
    set { setValue(forKey: \.copies, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(
        name: "title", keypath: \Etching.title, defaultValue: nil, metadata: Schema.Attribute(.unique)),
      Schema.PropertyMetadata(name: "copies", keypath: \Etching.copies, defaultValue: nil, metadata: nil),
    ]
  }
}
