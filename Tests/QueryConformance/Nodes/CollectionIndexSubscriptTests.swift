import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.CollectionIndexSubscript")
struct CollectionIndexSubscriptNodeTests {
  @Test("an element is found by its index, and an index out of range is unknown", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let numbers = [-10, 4]
    let place = 1
    try world.check(
      #Predicate<Person> { $0.tags[place] == "gr\u{FC}n" },
      becomes: #"(SELECT value FROM _osd_list(_osd_elements(4, "tags")) WHERE rowid = ?1) = ?2"#)
    try world.check(
      #Predicate<Person> { $0.marks[0] > 1 },
      becomes: #"(SELECT value FROM _osd_list(_osd_elements(0, "marks")) WHERE rowid = ?1) > ?2"#)
    try world.check(#Predicate<Person> { $0.age == numbers[1] }, becomes: #""age" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.marks[$0.marks.count - 1] == 5 },
      becomes:
        #"(SELECT value FROM _osd_list(_osd_elements(0, "Person"."marks")) WHERE rowid = _osd_calculate(1, 3, (SELECT count(*) FROM _osd_list(_osd_elements(0, "Person"."marks")) AS t1), ?1)) = ?2"#
    )
  }
}
