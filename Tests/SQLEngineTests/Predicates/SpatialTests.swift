import Foundation
import PersistenceCore
import Testing

@Suite("Spatial indexes as SQL")
struct SpatialTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Pin.self, Mark.self, Flag.self]) }

  static let boxCases: [PredicateCase<Pin>] = [
    .init(
      "both dimensions are given", #Predicate { (1.0...2.0).contains($0.x) && (3.0...4.0).contains($0.y) },
      sqlite: #""_osd_key" IN (SELECT "_osd_key" FROM "_osd_rtree_Pin_x_y" "#
        + #"WHERE "x_max" >= min(?1, 1e38) - 1e-37 AND "x_min" <= max(?2, -1e38) + 1e-37 "#
        + #"AND "y_max" >= min(?3, 1e38) - 1e-37 AND "y_min" <= max(?4, -1e38) + 1e-37) "#
        + #"AND ("x" >= ?1 AND "x" <= ?2 AND ?2 < '' AND "y" >= ?3 AND "y" <= ?4 AND ?4 < '')"#,
      other: "[_osd_key] IN (SEARCH [_osd_rtree_Pin_x_y] "
        + "WHERE [x] >= $1::real AND [x] <= $2::real AND [y] >= $3::real AND [y] <= $4::real) "
        + "AND ([x] >= $1::real AND [x] <= $2::real AND $2::real < 'NaN' "
        + "AND [y] >= $3::real AND [y] <= $4::real AND $4::real < 'NaN')"),
    .init(
      "half a dimension is no search", #Predicate { $0.x > 1 }, sqlite: #""x" > ?1 AND "x" < ''"#,
      other: "[x] > $1::real AND [x] < 'NaN'"),
    .init(
      "either of two boxes is no search",
      #Predicate { (1.0...2.0).contains($0.x) || (3.0...4.0).contains($0.y) },
      sqlite: #"("x" >= ?1 AND "x" <= ?2 AND ?2 < '') OR ("y" >= ?3 AND "y" <= ?4 AND ?4 < '')"#,
      other: "([x] >= $1::real AND [x] <= $2::real AND $2::real < 'NaN') "
        + "OR ([y] >= $3::real AND [y] <= $4::real AND $4::real < 'NaN')"),
  ]

  static let subclassCases: [PredicateCase<Flag>] = [
    .init(
      "rows are not looked up by their class too",
      #Predicate { (1.0...2.0).contains($0.x) && (3.0...4.0).contains($0.y) },
      sqlite: #"+"_osd_entity" = 'Flag' AND "_osd_key" IN (SELECT "_osd_key" FROM "_osd_rtree_Mark_x_y" "#
        + #"WHERE "x_max" >= min(?1, 1e38) - 1e-37 AND "x_min" <= max(?2, -1e38) + 1e-37 "#
        + #"AND "y_max" >= min(?3, 1e38) - 1e-37 AND "y_min" <= max(?4, -1e38) + 1e-37) "#
        + #"AND ("x" >= ?1 AND "x" <= ?2 AND ?2 < '' AND "y" >= ?3 AND "y" <= ?4 AND ?4 < '')"#,
      other: "unsearched([_osd_entity]) = N'Flag' "
        + "AND [_osd_key] IN (SEARCH [_osd_rtree_Mark_x_y] "
        + "WHERE [x] >= $1::real AND [x] <= $2::real AND [y] >= $3::real AND [y] <= $4::real) "
        + "AND ([x] >= $1::real AND [x] <= $2::real AND $2::real < 'NaN' "
        + "AND [y] >= $3::real AND [y] <= $4::real AND $4::real < 'NaN')")
  ]

  @Test("a box in a subclass is looked up by its coordinates alone", arguments: subclassCases)
  func subclass(_ item: PredicateCase<Flag>) throws { try item.check(in: dialects) }

  @Test("a box is looked up in the index first, and the columns of each row decide", arguments: boxCases)
  func box(_ item: PredicateCase<Pin>) throws { try item.check(in: dialects) }
}
