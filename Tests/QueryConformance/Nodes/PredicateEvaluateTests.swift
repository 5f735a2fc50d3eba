import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceQueries

@Suite("PredicateExpressions.PredicateEvaluate")
struct PredicateEvaluateNodeTests {
  @Test(
    "another predicate is part of the query, evaluated in the store as far as possible", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let isOld = #Predicate<Person> { $0.age > 3 }
    let isRed = #Predicate<Person> { $0.team?.name == "Red" }
    let hasHash = #Predicate<Person> { $0.isActive && $0.name.hashValue != 0 }
    try world.check(
      both(isOld, isRed),
      becomes:
        #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" WHERE "Person"."age" > ?1 AND t1."name" = ?2"#
    )
    try world.check(
      both(isOld, hasHash), becomes: #""age" > ?1 AND "isActive" = 1"#, inMemory: "a member of type Int of a String")
    let ofBoss = Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_contains(
          PredicateExpressions.build_KeyPath(root: person, keyPath: \.reports)
        ) { report in
          PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(isOld), report)
        }, "reports")
    }
    try world.check(
      ofBoss,
      becomes: #"EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."boss" = "Person"."_osd_key" AND (t1."age" > ?1))"#)
  }

  private func both(_ first: Predicate<Person>, _ second: Predicate<Person>) -> Predicate<Person> {
    Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_Conjunction(
          lhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(first), person),
          rhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(second), person)), "both")
    }
  }
}
