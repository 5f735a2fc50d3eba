import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.NilCoalesce")
struct NilCoalesceNodeTests {
  @Test("a second value replaces nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Person> { ($0.nickname ?? "none") == "none" },
      becomes: #"coalesce("nickname", ?1) = ?2"#)
    try world.check(
      #Predicate<Person> { ($0.nickname ?? $0.name) == "Ada" },
      becomes: #"coalesce("nickname", "name") = ?1"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.starts(with: "Nick") ?? false },
      becomes: #""nickname" >= ?1 AND "nickname" < ?2 AND _osd_starts("nickname", ?1)"#)
    try world.check(
      #Predicate<Person> { ($0.boss?.age ?? 5) > 0 },
      becomes: #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Person"."boss" WHERE coalesce(t1."age", ?1) > ?2"#)
  }
}
