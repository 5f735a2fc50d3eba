import SwiftData
import Testing

enum Library {
  @Model final class Book {
    var title: String
    var state: State = State.new
    var shelf: Shelf?

    enum State: String, Codable { case new, read }

    struct Shelf: Codable, Equatable {
      var room: String
      var number: Int
    }

    init(title: String) { self.title = title }
  }
}

struct Archive {}

extension Archive {
  @Model public final class Record {
    public var title: String

    public init(title: String) { self.title = title }
  }
}

extension Archive {
  @Model final class Folder {
    var pages: [Page] = []

    init() {}
  }

  @Model class Page {
    var number: Int
    var folder: Folder?

    init(number: Int, folder: Folder?) {
      self.folder = folder
      self.number = number
    }
  }
}

struct Crate<Content> {}

// The macro sees only this extension, which does not show that the type is generic.
extension Crate {
  @Model final class Item {
    var name: String
    var folder: Archive.Folder

    init(name: String, folder: Archive.Folder) {
      self.folder = folder
      self.name = name
    }
  }
}

public struct Museum {}

// The access level of the extension applies to the model, but not to the model's members.
// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
public extension Museum {
  @Model final class Piece {
    public var title: String
    var year: Int

    public init(title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }
}

extension Library {
  final class Room {
    @Model final class Desk {
      var number: Int

      init(number: Int) { self.number = number }
    }
  }
}

// Models with the names of types that this module, the library or Foundation also has.

@Model final class TimeZone {
  var offset: Int

  init(offset: Int) { self.offset = offset }
}

@Model final class Observation {
  var value: Double

  init(value: Double) { self.value = value }
}

enum Clash {
  @Model final class Slot {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model final class `default` {
    var name: String

    init(name: String) { self.name = name }
  }
}

@Suite("Nested models and their names")
struct NestedModelTests {
  @Test("A model may be nested in an enumeration, with types of its own") func inEnumeration() throws {
    let book = Library.Book(title: "a")
    book.shelf = Library.Book.Shelf(room: "b", number: 2)
    try roundTrip(book) {
      #expect($0.title == "a")
      #expect($0.state == .new)
      #expect($0.shelf == Library.Book.Shelf(room: "b", number: 2))
    }
  }

  @Test("A model may be nested in an extension") func inExtension() throws {
    try roundTrip(Archive.Record(title: "a")) { #expect($0.title == "a") }
  }

  @Test("A model in an extension joins the context of the object to which its initialiser relates it") func joining()
    throws
  {
    let context = ModelContext(try memoryContainer([Archive.Folder.self]))
    let folder = Archive.Folder()
    context.insert(folder)
    _ = Archive.Page(number: 1, folder: folder)
    #expect(folder.pages.map(\.number) == [1])
    #expect(try context.fetchCount(FetchDescriptor<Archive.Page>()) == 1)
  }

  @Test("A model may be nested in an extension of a generic type") func inGenericExtension() throws {
    let item = Crate<Int>.Item(name: "a", folder: Archive.Folder())
    try roundTrip(item, with: [Archive.Folder.self]) { #expect($0.name == "a" && $0.folder.pages.isEmpty) }
  }

  @Test("A model may be nested in a public extension") func inPublicExtension() throws {
    try roundTrip(Museum.Piece(title: "a", year: 1900)) { #expect($0.title == "a" && $0.year == 1900) }
  }

  @Test("A model may be nested in a class in an extension") func deeper() throws {
    try roundTrip(Library.Room.Desk(number: 7)) { #expect($0.number == 7) }
  }

  @Test("A model may have the name of a type of Foundation") func foundationName() throws {
    try roundTrip(TimeZone(offset: 3600)) { #expect($0.offset == 3600) }
  }

  @Test("A model may have the name of a module") func moduleName() throws {
    try roundTrip(Observation(value: 36.6)) { #expect($0.value == 36.6) }
  }

  @Test("A model may have the name of a type of the library, or a keyword as its name") func libraryName() throws {
    try roundTrip(Clash.Slot(name: "a")) { #expect($0.name == "a") }
    try roundTrip(Clash.`default`(name: "b")) { #expect($0.name == "b") }
  }
}
