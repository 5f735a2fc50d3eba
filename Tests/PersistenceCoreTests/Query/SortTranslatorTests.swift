import Foundation
import PersistenceCore
import Testing

@Suite("Sort descriptors")
struct SortTranslatorTests {
  private func terms(_ descriptors: SortDescriptor<Item>...) throws -> [SortTerm] {
    try SortTranslator.translate(descriptors, entity: Item.layout)
  }

  private func obstacle(to descriptor: SortDescriptor<Item>) -> String? {
    do {
      _ = try SortTranslator.translate([descriptor], entity: Item.layout)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("each descriptor is a term, in order")
  func order() throws {
    let terms = try terms(SortDescriptor(\.date, order: .reverse), SortDescriptor(\.name))
    #expect(terms == [SortTerm(property: 18, isDescending: true), SortTerm(property: 1, isDescending: false)])
  }

  @Test("a sort can use optional values")
  func optionals() throws {
    #expect(try terms(SortDescriptor(\.due)) == [SortTerm(property: 19, isDescending: false)])
    #expect(try terms(SortDescriptor(\.rank)) == [SortTerm(property: 4, isDescending: false)])
  }

  @Test("the lexical comparator of texts is translated to the store's order")
  func lexical() throws {
    #expect(
      try terms(SortDescriptor(\.name, comparator: .lexical)) == [SortTerm(property: 1, isDescending: false)])
    #expect(
      try terms(SortDescriptor(\.name, comparator: .lexical, order: .reverse)) == [
        SortTerm(property: 1, isDescending: true)
      ])
  }

  @Test("Foundation sorts nil before every value, and after it in reverse")
  func nilOrder() {
    let without = Item()
    let with = Item()
    with.rank = -1
    #expect(SortDescriptor(\Item.rank).compare(without, with) == .orderedAscending)
    #expect(SortDescriptor(\Item.rank, order: .reverse).compare(without, with) == .orderedDescending)
  }

  @Test("a Comparable enum is ordered by the ranks of its cases")
  func ranks() throws {
    let terms = try SortTranslator.translate([SortDescriptor(\Item.level)], entity: Item.layout)
    guard case .ranked(let values)? = terms.first?.form else {
      Issue.record("\(terms)")
      return
    }
    #expect(values.map(\.value) == [.integer(1), .integer(0)])
    #expect(values.map(\.rank) == [1, 2])
  }

  @Test("a computed property is untranslatable")
  func untranslatable() {
    #expect(obstacle(to: SortDescriptor(\.title)) != nil)
    #expect(obstacle(to: SortDescriptor(\.name.count)) != nil)
  }
}
