import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.DictionaryKeySubscript")
struct DictionaryKeySubscriptNodeTests {
  @Test("a key has its value in the dictionary, or nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let ages = ["Ada": -10, "Cl\u{E9}o": 11]
    try world.check(#Predicate<Person> { $0.notes["a"] == 2 }, becomes: #"_osd_value(0, "notes", ?1) = ?2"#)
    try world.check(#Predicate<Person> { $0.notes["b\""] == nil }, becomes: #"_osd_value(0, "notes", ?1) IS NULL"#)
    try world.check(
      #Predicate<Person> { (ages[$0.name] ?? 99) == $0.age },
      becomes:
        #"coalesce((SELECT v.value FROM _osd_list(?1) AS k JOIN _osd_list(?2) AS v ON v.rowid = k.rowid WHERE k.value = "name"), ?3) = "age""#
    )
    try world.check(#Predicate<Person> { (ages["Ada"] ?? 0) == $0.age }, becomes: #"?1 = "age""#)
  }
}
