import ConformanceSupport
import SwiftData
import Testing

@Model
final class Chapter {
  var title: String
  @Relationship(deleteRule: .deny, inverse: \Paragraph.chapter) var paragraphs: [Paragraph] = []

  init(_ title: String) { self.title = title }
}

@Model
final class Paragraph {
  var text: String
  var chapter: Chapter?

  init(_ text: String, _ chapter: Chapter? = nil) {
    self.text = text
    self.chapter = chapter
  }
}

@Suite("The save of a context that is released")
struct ClosingSaveTests {
  @Test("the last save rejects the same changes as any other save", arguments: Engine.allCases)
  func validation(_ engine: Engine) throws {
    let store = try TestStore(engine, [Chapter.self, Paragraph.self])
    let first = store.context()
    first.insert(Paragraph("It was", Chapter("One")))
    try first.save()
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.delete(try context.only(Chapter.self))
    }
    #expect(try store.context().fetchCount(FetchDescriptor<Chapter>()) == 1)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      try context.only(Chapter.self).title = "Two"
    }
    #expect(try store.context().only(Chapter.self).title == "Two")
  }

  @Test("the last save is propagated to the only other context", arguments: Engine.allCases)
  func told(_ engine: Engine) throws {
    let store = try TestStore.oneArtist(engine)
    let here = store.context()
    let mine = try here.artist()
    do {
      let context = store.context()
      context.autosaveEnabled = true
      try context.artist().age = 31
    }
    _ = try here.fetchCount(FetchDescriptor<Group>())
    #expect(mine.age == 31)
  }
}
