// swift-format-ignore-file: FileScopedDeclarationPrivacy

import SwiftData
import Testing

@Model
final class FinalNote {
  var text: String

  init(text: String) {
    self.text = text
  }
}

@Model class OpenNote {
  var text: String

  init(text: String) { self.text = text }
}

@Model public class PublicOpenNote {
  public var text: String

  public init(text: String) { self.text = text }
}

@Model package final class PackageNote {
  package var text: String

  package init(text: String) { self.text = text }
}

@Model private final class PrivateNote {
  var text: String

  init(text: String) { self.text = text }
}

@Model fileprivate class FileNote {
  fileprivate var text: String

  fileprivate init(text: String) { self.text = text }
}

@Model
final class ConvenientNote {
  var text: String
  var stars: Int

  init(text: String, stars: Int) {
    self.text = text
    self.stars = stars
  }

  convenience init(_ text: String) {
    self.init(text: text, stars: 1)
  }
}

/// The most frequent form of a model: all properties have defaults, and the initialiser sets them again.
@Model
final class DefaultedNote {
  var id: UUID = UUID()
  var text: String = ""
  var stars: Int = 3
  var created: Date = Date()
  var tags: [String] = []
  var done = false
  var note: String?

  init(
    id: UUID = UUID(), text: String = "", stars: Int = 5, created: Date = Date(), tags: [String] = [],
    done: Bool = true, note: String? = nil
  ) {
    self.id = id
    self.text = text
    self.stars = stars
    self.created = created
    self.tags = tags
    self.done = done
    self.note = note
  }
}

@Model
final class EmptyNote {
  init() {}
}

@Suite("Forms of model classes")
struct ClassShapeTests {
  @Test("A final class can be a model") func finalClass() throws {
    try roundTrip(FinalNote(text: "a")) { #expect($0.text == "a") }
  }

  @Test("A class that is not final can be a model") func openClass() throws {
    try roundTrip(OpenNote(text: "a")) { #expect($0.text == "a") }
  }

  @Test("A public class that is not final can be a model") func publicClass() throws {
    try roundTrip(PublicOpenNote(text: "a")) { #expect($0.text == "a") }
  }

  @Test("A class with package access can be a model") func packageClass() throws {
    try roundTrip(PackageNote(text: "a")) { #expect($0.text == "a") }
  }

  @Test("Private and fileprivate classes can be models") func privateClasses() throws {
    try roundTrip(PrivateNote(text: "a")) { #expect($0.text == "a") }
    try roundTrip(FileNote(text: "b")) { #expect($0.text == "b") }
  }

  @Test("A model may have a convenience initialiser") func convenienceInitializer() throws {
    try roundTrip(ConvenientNote("a")) { #expect($0.text == "a" && $0.stars == 1) }
  }

  @Test("A model may have an initialiser that sets properties with defaults") func defaultsSetAgain() throws {
    let id = UUID()
    let created = Date(timeIntervalSinceReferenceDate: 12.5)
    let note = DefaultedNote(id: id, text: "a", stars: 4, created: created, tags: ["x"], note: "n")
    #expect(note.stars == 4)
    #expect(note.done)
    #expect(note.tags == ["x"])
    try roundTrip(note) {
      #expect($0.id == id)
      #expect($0.text == "a")
      #expect($0.stars == 4)
      #expect($0.created == created)
      #expect($0.tags == ["x"])
      #expect($0.done)
      #expect($0.note == "n")
    }
  }

  @Test("A class without properties can be a model") func emptyClass() throws {
    try roundTrip(EmptyNote()) { #expect(!$0.hasChanges) }
  }
}
