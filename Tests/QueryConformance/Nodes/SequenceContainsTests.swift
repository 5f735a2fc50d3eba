import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceContains")
struct SequenceContainsNodeTests {
  @Test("a collection contains a value", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (names, levels) = (["Ada", "Cl\u{E9}o"], [Level.low])
    let nicknames: [String?] = [nil, "nick"]
    let places = [Address(city: "Bonn", zip: 2), Address(city: "Ulm", zip: -3)]
    let former: [Address?] = [nil, Address(city: "Ulm", zip: -3)]
    try world.check(
      #Predicate<Person> { names.contains($0.name) },
      becomes: #""name" IN (SELECT value FROM _osd_list(?1))"#)
    try world.check(
      #Predicate<Person> { levels.contains($0.level) },
      becomes: #""level" IN (SELECT value FROM _osd_list(?1))"#)
    try world.check(
      #Predicate<Person> { nicknames.contains($0.nickname) },
      becomes: #""nickname" IN (SELECT value FROM _osd_list(?1)) OR "nickname" IS NULL"#)
    try world.check(
      #Predicate<Person> { $0.tags.contains("red") },
      becomes:
        #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1 WHERE t1.value = ?1)"#
    )
    try world.check(
      #Predicate<Person> { $0.marks.contains($0.age) },
      becomes:
        #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(0, "Person"."marks")) AS t1 WHERE t1.value = "Person"."age")"#)
    try world.check(
      #Predicate<Person> { places.contains($0.address) },
      becomes:
        #"("address_city" = ?1 AND "address_zip" = ?2) OR ("address_city" = ?3 AND "address_zip" = ?4)"#
    )
    try world.check(
      #Predicate<Person> { former.contains($0.former) },
      becomes: #""former_city" IS NULL OR ("former_city" = ?1 AND "former_zip" = ?2)"#)
  }
}
