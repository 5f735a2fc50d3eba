import Foundation
import PersistenceCore
import Testing

@Suite("Calculations as SQL")
struct CalculationTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Record.self]) }

  static let calculationCases: [PredicateCase<Record>] = {
    let price = Decimal(3)
    return [
      .init(
        "a sum", #Predicate { $0.count + 1 == 3 }, sqlite: #"_osd_calculate(0, 3, "count", ?1) = ?2"#,
        other: "add_int64([count], $1) = $2"),
      .init(
        "a difference", #Predicate { $0.count - 1 == 3 }, sqlite: #"_osd_calculate(1, 3, "count", ?1) = ?2"#,
        other: "subtract_int64([count], $1) = $2"),
      .init(
        "a product of numbers without a sign", #Predicate { $0.size * 2 == 8 },
        sqlite: #"_osd_calculate(2, 7, "size", ?1) = ?2"#, other: "multiply_uint64([size], $1::unsigned) = $2::unsigned"
      ),
      .init(
        "a quotient", #Predicate { $0.count / 2 == 1 }, sqlite: #"_osd_calculate(3, 3, "count", ?1) = ?2"#,
        other: "divide_int64([count], $1) = $2"),
      .init(
        "a remainder", #Predicate { $0.count % 2 == 0 }, sqlite: #"_osd_calculate(4, 3, "count", ?1) = ?2"#,
        other: "remainder_int64([count], $1) = $2"),
      .init(
        "the opposite of an integer", #Predicate { -$0.count == 10 }, sqlite: #"_osd_calculate(1, 3, 0, "count") = ?1"#,
        other: "negative_int64([count]) = $1"),
      .init(
        "the opposite of a real", #Predicate { -$0.weight < 0 },
        sqlite: #"_osd_calculate(1, 9, -0.0, "weight") < ?1 AND ?1 < ''"#,
        other: "negative_double([weight]) < $1::real AND $1::real < 'NaN'"),
      .init(
        "reals", #Predicate { $0.weight * 2 == 3 }, sqlite: #"_osd_calculate(2, 9, "weight", ?1) = ?2"#,
        other: "multiply_double([weight], $1::real) = $2::real"),
      .init(
        "decimals are ordered by their value", #Predicate { $0.price + price > price },
        sqlite: #"_osd_calculate(0, 10, "price", ?1) COLLATE DECIMAL > ?2"#,
        other: "CAST(add_decimal([price], $1::decimal) AS NUMERIC) > $2::decimal"),
    ]
  }()

  @Test("the SQL of a calculation contains the number type whose limits apply", arguments: calculationCases)
  func calculations(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }
}
