import ConformanceSupport
import SwiftData
import Testing

@Model
private class Picture {
  var title: String
  @Attribute(.unique, .externalStorage) var image: Data?

  init(_ title: String, _ image: Data?) { (self.title, self.image) = (title, image) }
}

@Model
private final class Photograph: Picture {
  var camera: String = ""

  override init(_ title: String, _ image: Data?) { super.init(title, image) }
}

private let models: [any PersistentModel.Type] = [Picture.self, Photograph.self]

private func bytes(_ value: UInt8) -> Data { Data(repeating: value, count: 120_000) }

/// The superclass has a unique property whose values are stored in external files.
@Suite("Unique external values of a superclass")
struct InheritedRuleTests {
  @Test("an attribute that is unique in a superclass is also unique among the rows of its subclasses")
  func unique() throws {
    let store = try MigratedStore()
    try store.use(models) { context in
      context.insert(Picture("first", bytes(1)))
      try context.save()
      context.insert(Photograph("second", bytes(2)))
      try context.save()
      context.insert(Photograph("third", bytes(2)))
      try context.save()
    }
    #expect(store.externalFiles == [])
    try store.use(models) { context in
      let titles = try context.fetch(FetchDescriptor<Picture>(sortBy: [SortDescriptor(\.title)])).map(\.title)
      #expect(titles == ["first", "third"])
    }
  }
}
