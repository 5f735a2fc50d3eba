import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Arithmetic")
struct ArithmeticNodeTests {
  @Test("sums, differences and products have the semantics of the type", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let two = 2
    try world.check(#Predicate<Person> { $0.age + two == 6 }, becomes: #"_osd_calculate(0, 3, "age", ?1) = ?2"#)
    try world.check(#Predicate<Person> { $0.small - 100 < 0 }, becomes: #"_osd_calculate(1, 0, "small", ?1) < ?2"#)
    try world.check(
      #Predicate<Person> { $0.price * $0.price > 1 },
      becomes: #"_osd_calculate(2, 10, "price", "price") COLLATE DECIMAL > ?1"#)
    try world.check(#Predicate<Person> { $0.ratio + 0.1 == 0.3 }, becomes: #"_osd_calculate(0, 8, "ratio", ?1) = ?2"#)
    try world.check(
      #Predicate<Person> { ($0.rating ?? 0) + $0.score > 1 },
      becomes:
        #"_osd_calculate(0, 9, coalesce("rating", ?1), "score") > ?2 AND _osd_calculate(0, 9, coalesce("rating", ?1), "score") < ''"#
    )
  }
}
