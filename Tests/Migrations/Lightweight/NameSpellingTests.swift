// swift-format-ignore-file: IdentifiersMustBeASCII

import ConformanceSupport
import SwiftData
import Testing

// `Whole` and `Apart` have the same names as two editors write them: with composed letters, and with letters followed
// by combining marks. Macro expansions always contain composed letters, so the spelling can only differ outside of
// expansions: in the fields of a struct.

private enum Whole {
  struct Room: Codable, Equatable {
    var tür: String
    var größe: Int
  }
  @Model final class House {
    var name: String
    var room: Room
    init(_ text: String, _ size: Int) { (name, room) = (text, Room(tür: text, größe: size)) }
  }
}

private enum Apart {
  struct Room: Codable, Equatable {
    var tür: String
    var größe: Int
  }
  @Model final class House {
    var name: String
    var room: Room
    init(_ text: String, _ size: Int) { (name, room) = (text, Room(tür: text, größe: size)) }
  }
}

private enum Later {
  @Model final class House {
    @Attribute(originalName: "name") var title: String
    var room: Apart.Room
    var added = "new"
    init(_ text: String, _ size: Int) { (title, room) = (text, Apart.Room(tür: text, größe: size)) }
  }
}

@Suite("Property names that are spelled in another Unicode form")
struct NameSpellingTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([Whole.House.self]) { context in
      for (size, text) in ["plain", "e\u{301}"].enumerated() { context.insert(Whole.House(text, size)) }
    }
    return store
  }

  @Test("a store opens without a migration, and its values and their original texts are unchanged", .onSQLite)
  func unchanged() throws {
    let store = try store()
    try store.use([Apart.House.self]) { context in
      let houses = try context.fetch(FetchDescriptor<Apart.House>(sortBy: [SortDescriptor(\.room.größe)]))
      #expect(houses.map(\.room.größe) == [0, 1])
      #expect(houses.map { $0.room.tür.unicodeScalars.count } == [5, 2])
      houses[0].room.tür = "o\u{302}"
    }
    // The store is opened again with the spelling of the first editor.
    let context = ModelContext(try store.open([Whole.House.self]))
    let houses = try context.fetch(FetchDescriptor<Whole.House>(sortBy: [SortDescriptor(\.room.größe)]))
    #expect(houses.map { $0.room.tür.unicodeScalars.map(\.value) } == [[0x6F, 0x302], [0x65, 0x301]])
    let names = try RawDatabase(store.url.path).column("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    #expect(names.allSatisfy { sql in sql.unicodeScalars.allSatisfy { $0.value != 0x308 } })
  }

  @Test("a migration finds the existing columns under the other spelling")
  func migrated() throws {
    let store = try store()
    try store.migrate(to: [Later.House.self]) { context in
      let houses = try context.fetch(FetchDescriptor<Later.House>(sortBy: [SortDescriptor(\.title)]))
      #expect(houses.map(\.room.größe) == [0, 1] && houses.map(\.added) == ["new", "new"])
      #expect(houses.map { $0.room.tür.unicodeScalars.count } == [5, 2])
    }
  }
}
