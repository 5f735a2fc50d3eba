import SwiftData
import Testing

/// A model with property names that could conflict with keywords, generated code, or members that every model has.
@Model final class OddNames {
  var `default`: Bool = false
  var `in`: String = "in"
  var `class`: Int = 1
  var `init`: Int = 2
  var `return`: String?
  var description: String = "text"
  var debugDescription: String = "debug"
  var hash: Int = 3
  var isDeleted: Bool = false
  var hasChanges: Bool = true
  var access: String = "access"
  var withMutation: String = "mutation"
  var row: Int = 4
  var rows: Int = 5
  var value: Int = 6
  var change: Int = 7
  var newValue: Int = 8
  var oldValue: Int = 9
  var keyPath: String = "path"
  var backingData: String = "data"
  var state: String = "state"
  var initialValue: Int = 10
  var member: Int = 11
  var order: Int = 12
  var group: String = "group"
  var select: String = "select"
  var _private: Int = 13
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var `_`: Int { 0 }
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var Upper: Int = 14
  // swift-format-ignore: IdentifiersMustBeASCII
  var ünïcödé: String = "ü"
  var type: String = "type"
  var index: Int = 15
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var PersistenceCoreName: Int = 16

  init() {}
}

/// A model with property names that are valid only in backticks.
@Model final class RawNames {
  var `first name`: String = "first"
  var `last-name?`: String?
  var `2nd "name"`: Int = 2 {
    didSet { `last-name?` = "\(oldValue)" }
  }

  init() {}
}

@Suite("Names of stored properties")
struct PropertyNameTests {
  @Test("Raw identifiers can be names of properties") func rawNames() throws {
    try roundTrip(changing: RawNames()) {
      $0.`2nd "name"` = 3
      $0.`first name` += "!"
    } then: {
      #expect($0.`first name` == "first!")
      #expect($0.`last-name?` == "2")
      #expect($0.`2nd "name"` == 3)
    }
  }

  @Test("Keywords, and names that the library uses, can be names of properties") func oddNames() throws {
    try roundTrip(OddNames()) {
      #expect(!$0.`default`)
      #expect($0.in == "in")
      #expect($0.class == 1)
      #expect($0.`init` == 2)
      #expect($0.return == nil)
      #expect($0.description == "text")
      #expect($0.debugDescription == "debug")
      #expect($0.hash == 3)
      #expect(!$0.isDeleted)
      #expect($0.hasChanges)
      #expect($0.access == "access")
      #expect($0.withMutation == "mutation")
      #expect($0.row == 4)
      #expect($0.rows == 5)
      #expect($0.value == 6)
      #expect($0.change == 7)
      #expect($0.newValue == 8)
      #expect($0.oldValue == 9)
      #expect($0.keyPath == "path")
      #expect($0.backingData == "data")
      #expect($0.state == "state")
      #expect($0.initialValue == 10)
      #expect($0.member == 11)
      #expect($0.order == 12)
      #expect($0.group == "group")
      #expect($0.select == "select")
      #expect($0._private == 13)
      #expect($0.Upper == 14)
      #expect($0.ünïcödé == "ü")
      #expect($0.type == "type")
      #expect($0.index == 15)
      #expect($0.PersistenceCoreName == 16)
    }
  }

  @Test("Properties with these names can be changed") func changes() throws {
    try roundTrip(changing: OddNames()) {
      $0.default = true
      $0.isDeleted = true
      $0.hasChanges = false
      $0.return = "x"
      $0.`init` = 0
      $0._private += 1
      $0.value = 1
    } then: {
      #expect($0.default)
      #expect($0.isDeleted)
      #expect(!$0.hasChanges)
      #expect($0.return == "x")
      #expect($0.`init` == 0)
      #expect($0._private == 14)
      #expect($0.value == 1)
    }
  }

  @Test("Properties with these names can be used in predicates") func predicates() throws {
    let container = try memoryContainer([OddNames.self])
    let context = ModelContext(container)
    context.insert(OddNames())
    try context.save()
    let found = try context.fetch(
      FetchDescriptor<OddNames>(
        predicate: #Predicate { $0.in == "in" && !$0.isDeleted && $0.group == "group" && $0._private == 13 },
        sortBy: [SortDescriptor(\.order), SortDescriptor(\.class)]))
    #expect(found.count == 1)
  }
}
