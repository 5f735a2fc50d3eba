import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Equal")
struct EqualNodeTests {
  @Test("values are equal as their type defines, and nil equals nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (name, none) = ("Cl\u{E9}o", Address?.none)
    let (bonn, level) = (Address(city: "Bonn", zip: 2), Level.high)
    try world.check(#Predicate<Person> { $0.name == name }, becomes: #""name" = ?1"#)
    try world.check(#Predicate<Person> { $0.nickname == "nick" }, becomes: #""nickname" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.nickname == $0.boss?.nickname },
      becomes:
        #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Person"."boss" WHERE "Person"."nickname" IS t1."nickname""#
    )
    try world.check(
      #Predicate<Person> { $0.address == bonn }, becomes: #""address_city" = ?1 AND "address_zip" = ?2"#
    )
    try world.check(#Predicate<Person> { $0.former == none }, becomes: #""former_city" IS NULL"#)
    try world.check(#Predicate<Person> { $0.level == level }, becomes: #""level" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.team?.lead == $0.boss },
      becomes: #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" WHERE t1."lead" IS "Person"."boss""#)
    try world.check(#Predicate<Person> { $0.tags == ["red"] }, becomes: #"_osd_form("tags") = _osd_form(?1)"#)
  }
}
