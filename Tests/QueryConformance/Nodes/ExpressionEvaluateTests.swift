import ConformanceSupport
import SwiftData
import Testing

@testable import PersistenceQueries

@Suite("PredicateExpressions.ExpressionEvaluate")
struct ExpressionEvaluateNodeTests {
  @Test("an expression is part of the query", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let reports = #Expression<Person, Int> { $0.reports.count }
    let half = #Expression<Person, Int> { $0.age / 2 }
    let isRed = #Expression<Person, Bool> { $0.team?.name == "Red" }
    try world.check(
      greater(reports, 0), becomes: #"(SELECT count(*) FROM "Person" AS t1 WHERE t1."boss" = "Person"."_osd_key") > ?1"#
    )
    try world.check(greater(half, 1), becomes: #"_osd_calculate(3, 3, "age", ?1) > ?2"#)
    let red = Predicate<Person> { person in
      Erased(PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(isRed), person), "isRed")
    }
    try world.check(
      red, becomes: #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" WHERE t1."name" = ?1"#)
  }

  private func greater(_ expression: Expression<Person, Int>, _ least: Int) -> Predicate<Person> {
    Predicate<Person> { person in
      Erased(
        PredicateExpressions.build_Comparison(
          lhs: PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(expression), person),
          rhs: PredicateExpressions.build_Arg(least), op: .greaterThan), "greater")
    }
  }
}
