import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.DictionaryKeyDefaultValueSubscript")
struct DictionaryKeyDefaultValueSubscriptNodeTests {
  @Test("a key has its value in the dictionary, or the default", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let ages = ["Ada": -10, "Cl\u{E9}o": 11]
    try world.check(
      #Predicate<Person> { $0.notes["a", default: 7] > 3 }, becomes: #"coalesce(_osd_value(0, "notes", ?1), ?2) > ?3"#)
    try world.check(
      #Predicate<Person> { ages[$0.name, default: 0] == 0 },
      becomes:
        #"coalesce((SELECT v.value FROM _osd_list(?1) AS k JOIN _osd_list(?2) AS v ON v.rowid = k.rowid WHERE k.value = "name"), ?3) = ?4"#
    )
  }
}
